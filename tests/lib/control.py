"""Gives a server orders: python3 control.py SOCKET ORDER...

Prints each answer, a line of JSON; fails when one is missing within 20 seconds."""
import socket
import sys

s = socket.socket(socket.AF_UNIX)
s.settimeout(20)
s.connect(sys.argv[1])
answers = s.makefile("r")
for order in sys.argv[2:]:
    s.sendall(order.encode() + b"\n")
    line = answers.readline()
    if not line.endswith("\n"):
        sys.exit(f"no answer to '{order}'")
    print(line, end="")
