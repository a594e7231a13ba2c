"""kafka-python #1461, #1626: who joins the group polls with one lock, a heartbeat fails with the other one.

Versions: kafka-python==1.4.3; kafka-python==1.4.4

The network is cut out: the heartbeat that is under way fails at the next poll. 1.4.2 cannot be imported since Python
3.7; 1.4.3 turned the order of the locks round everywhere but in `ensure_active_group`, which 1.4.4 mends.
"""

import contextlib
import threading
from collections import deque

from kafka import errors
from kafka.client_async import IdleConnectionManager, KafkaClient
from kafka.coordinator.base import BaseCoordinator, HeartbeatThread
from kafka.future import Future


class Metrics:
    """Measures nothing."""

    def sensor(self, name):
        return self

    def metric_name(self, *names):
        return names

    add = add_metric = record = metric_name


class Client(KafkaClient):
    def __init__(self):
        self.config = {"request_timeout_ms": 1000}
        self._lock = threading.RLock()
        self._closed = True
        self._connecting = set()
        self._pending_completion = deque()
        self._idle_expiry_manager = IdleConnectionManager(1000)
        self.sent = []

    def _maybe_refresh_metadata(self):
        return 1000

    def is_disconnected(self, node_id):
        return False

    def in_flight_request_count(self, node_id):
        return 0

    def ready(self, node_id, metadata_priority=True):
        return True

    def send(self, node_id, request):
        return Future().failure(errors.GroupAuthorizationFailedError())

    def _poll(self, timeout):
        if self.sent:
            self.sent.pop().failure(errors.NodeNotReadyError())


class Coordinator(BaseCoordinator):
    def protocol_type(self):
        return "consumer"

    def group_protocols(self):
        return []

    def _on_join_prepare(self, generation, member_id):
        pass

    def _perform_assignment(self, leader_id, protocol, members):
        return {}

    def _on_join_complete(self, generation, member_id, protocol, member_assignment_bytes):
        pass


def a_heartbeat_fails():
    """1.4.3: Deadlock. 1.4.4: verified."""
    client = Client()
    coordinator = Coordinator(client, Metrics(), group_id="group", api_version=(0, 10, 1))
    coordinator.coordinator_id = 0
    coordinator.heartbeat.sent_heartbeat()
    heartbeat = coordinator._heartbeat_thread = HeartbeatThread(coordinator)
    client.sent.append(Future().add_errback(heartbeat._handle_heartbeat_failure))
    other = threading.Thread(target=client.poll, args=(0,))
    other.start()
    with contextlib.suppress(errors.GroupAuthorizationFailedError):
        coordinator.ensure_active_group()
    other.join()
