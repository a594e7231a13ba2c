"""python-http-client, which sendgrid's client is made of (a case study of frontrun).

Package: python-http-client==3.3.7
"""

from python_http_client import Client

import mcr


@mcr.program
def headers_of_a_client(p):
    """Two requests through one client of sendgrid's: one has the header of the other.

    Fails: AssertionError
    """
    client = p.share(Client("http://localhost", request_headers={"Authorization": "key"}, version=3))

    def request(name):
        client._update_headers({"X-Name": name})
        assert client.request_headers["X-Name"] == name

    p.thread(request, "one")
    p.thread(request, "two")


@mcr.program
def headers_of_a_client_each(p):
    """With a client for each request.

    Verified
    """
    headers = p.share({"Authorization": "key"})

    def request(name):
        client = Client("http://localhost", request_headers=dict(headers), version=3)
        client._update_headers({"X-Name": name})
        assert client.request_headers["X-Name"] == name

    p.thread(request, "one")
    p.thread(request, "two")
