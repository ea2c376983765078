"""Processes of one measurement that share what they spent."""
import multiprocessing
import os
import resource
import tempfile


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def together(run, ranks, *args):
    """Calls run(rank, meeting file's URL, spent, *args) in so many processes; seconds that they added to spent."""
    os.environ.update(GLOO_SOCKET_IFNAME="lo", TP_SOCKET_IFNAME="lo")
    spent = multiprocessing.Value("d", 0.0)
    with tempfile.TemporaryDirectory() as folder:
        every = [multiprocessing.Process(target=run, args=(rank, f"file://{folder}/meet", spent, *args))
                 for rank in range(ranks)]
        for p in every:
            p.start()
        for p in every:
            p.join()
        if any(p.exitcode for p in every):
            raise SystemExit("a process failed")
    return spent.value


def spend(spent, seconds):
    with spent.get_lock():
        spent.value += seconds
