"""A parameter server on torch.distributed.rpc: rpc.py WORKERS UPDATES FLOATS. Rank 0 holds the parameters, each
worker pushes a gradient and gets them back, one call an update. Prints CPU us an update, of all processes."""
import sys

import torch
import torch.distributed.rpc as rpc
from together import cpu, spend, together


class Server:
    w = None


def push(g):
    if Server.w is None:
        Server.w = torch.zeros_like(g)
    Server.w.add_(g, alpha=-0.1)
    return Server.w


def run(rank, meeting, spent, workers, updates, floats):
    torch.set_num_threads(1)
    options = rpc.TensorPipeRpcBackendOptions(num_worker_threads=4, init_method=meeting)
    rpc.init_rpc(f"p{rank}", rank=rank, world_size=workers + 1, rpc_backend_options=options)
    if rank > 0:
        g = torch.full((floats,), 1e-6)
        for _ in range(3):
            rpc.rpc_sync("p0", push, (g,))
        server, mine = rpc.rpc_sync("p0", cpu), cpu()
        for _ in range(updates // workers):
            rpc.rpc_sync("p0", push, (g,))
        spend(spent, cpu() - mine + (rpc.rpc_sync("p0", cpu) - server) / workers)
    rpc.shutdown()


if __name__ == "__main__":
    workers, updates, floats = map(int, sys.argv[1:])
    print(1e6 * together(run, workers + 1, workers, updates, floats) / (updates // workers * workers))
