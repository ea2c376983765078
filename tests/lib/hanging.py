"""Clients that ask for nothing, or for half of something, and never read: python3 hanging.py SOCKET N

Prints N once all are connected, then waits to be ended. With --drip in front each says a byte every half second, and
"closed" is printed when none can any more."""
import signal
import socket
import sys
import time


def connect(path):
    while True:  # the queue of the listener may be full for a moment
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(20)
        try:
            s.connect(path)
            return s
        except BlockingIOError:
            s.close()
            time.sleep(0.01)


def drip(crowd):
    while crowd:
        time.sleep(0.5)
        for s in list(crowd):
            try:
                s.sendall(b"x")
            except OSError:
                crowd.remove(s)
    print("closed", flush=True)


def main():
    path, n = sys.argv[-2], int(sys.argv[-1])
    words = [b"", b"GET /met", b"GET /metrics HTTP/1.1\r\nHost: ", b"\x16\x03\x01"]
    crowd = []
    for i in range(n):
        s = connect(path)
        try:
            s.sendall(words[i % len(words)])
        except BrokenPipeError:
            pass
        crowd.append(s)
    print(n, flush=True)
    if "--drip" in sys.argv:
        drip(crowd)
    signal.pause()


main()
