"""chroma-core/chroma #1193: the tokenizer of a model is there, the model is not yet.

Versions: --no-deps chromadb==0.4.13

Of the package only `chromadb.utils.embedding_functions` is imported; the packages for numbers and downloads, of which
making the model needs nothing, are replaced by empty modules.
"""

import sys
import threading
from types import SimpleNamespace

from tests.ordinary.reports._bare import bare

for name in ("chromadb", "chromadb.api", "chromadb.utils"):
    bare(name)
empty = SimpleNamespace(NDArray=object, float32=float, overrides=lambda method: method, EnforceOverrides=object)
empty.typing = empty
for name in ("numpy", "numpy.typing", "requests", "overrides"):
    sys.modules[name] = empty
bare("tqdm")
sys.modules["tqdm"].tqdm = None


class Tokenizer:
    @classmethod
    def from_file(cls, file):
        return cls()

    def enable_truncation(self, **options):
        pass

    enable_padding = enable_truncation


class Session:
    def __init__(self, file, providers):
        pass


bare("tokenizers")
sys.modules["tokenizers"].Tokenizer = Tokenizer
bare("onnxruntime")
sys.modules["onnxruntime"].get_available_providers = lambda: ["one"]
sys.modules["onnxruntime"].InferenceSession = Session

from chromadb.utils.embedding_functions import ONNXMiniLM_L6_V2  # noqa: E402


class Embedding(ONNXMiniLM_L6_V2):
    def _download_model_if_not_exists(self):
        pass

    def _forward(self, documents):
        assert self.model is not None and self.tokenizer is not None
        return SimpleNamespace(tolist=list)


def two_threads_embed():
    """0.4.13: AssertionError."""
    embed = Embedding()
    threads = [threading.Thread(target=embed, args=(["text"],)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
