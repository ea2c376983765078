"""Reads a file as others do: read.py xgboost|numpy FILE. Prints CPU seconds, of reading alone."""
import sys
import time

how, name = sys.argv[1:]
if how == "xgboost":
    import xgboost
else:
    import numpy
was = time.process_time()
if how == "xgboost":
    xgboost.DMatrix(name + "?format=libsvm", silent=True, nthread=1)
else:
    numpy.loadtxt(name, delimiter=",", dtype="f4")
print(time.process_time() - was)
