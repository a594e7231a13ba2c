"""eclipse-paho/paho.mqtt.python #354: publishing from a callback beside a thread that publishes.

Versions: paho-mqtt==1.5.0; paho-mqtt==1.6.1
"""

import threading

from paho.mqtt.client import Client, MQTTMessage

client = Client("one")
"""Made when the module is loaded, as a client opens a pair of sockets."""


def a_callback_publishes():
    """1.5.0: Deadlock. 1.6.1: verified."""
    client.on_socket_register_write = lambda *_: None
    client.on_message = lambda client, data, message: client.publish("answer", qos=1)
    message = MQTTMessage(topic=b"question")
    loop = threading.Thread(target=client._handle_on_message, args=(message,))
    loop.start()
    client.publish("other", qos=1)
    loop.join()
