#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
A server that asks another one for each answer, the slow one that it asks, and who asks it.

  upstream.py slow PORT            answers after half a second
  upstream.py front PORT UPSTREAM  answers what the server at UPSTREAM does
  upstream.py load PORT            four threads that ask one question after the other
  upstream.py ask PORT             asks once
"""

import http.client
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOST = "127.0.0.1"


class Handler(BaseHTTPRequestHandler):
    """Answers with what answer() returns."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self):
        raise NotImplementedError

    def do_GET(self):
        body = self.answer()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Slow(Handler):
    def answer(self):
        time.sleep(0.5)
        return b"slow\n"


def fetch(port):
    connection = http.client.HTTPConnection(HOST, port)
    connection.request("GET", "/")
    body = connection.getresponse().read()
    connection.close()
    return body


class Front(Handler):
    upstream = 0

    def answer(self):
        return fetch(self.upstream)


def ask_on(port):
    connection = http.client.HTTPConnection(HOST, port)
    while True:
        connection.request("GET", "/")
        connection.getresponse().read()
        print("answered", flush=True)


def main():
    what, port = sys.argv[1], int(sys.argv[2])
    if what == "ask":
        fetch(port)
    elif what == "load":
        threads = [threading.Thread(target=ask_on, args=(port,)) for _ in range(4)]
        for thread in threads:
            thread.start()
    else:
        if what == "front":
            Front.upstream = int(sys.argv[3])
        ThreadingHTTPServer((HOST, port), Front if what == "front" else Slow).serve_forever(poll_interval=5)


main()
