"""Epochs of scikit-learn's SGDClassifier in memory: sgd.py FILE. Prints CPU us a row."""
import sys
import time
import warnings

from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier

warnings.simplefilter("ignore")
x, y = load_svmlight_file(sys.argv[1])
model = SGDClassifier(loss="log_loss", alpha=1e-6, max_iter=5, tol=None, random_state=1)
was = time.process_time()
model.fit(x, y)
print(1e6 * (time.process_time() - was) / 5 / x.shape[0])
