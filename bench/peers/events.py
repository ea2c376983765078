"""Workers with exponential times on a server, simulated by SimPy: events.py P EVENTS. Prints CPU us an event."""
import random
import sys
import time

workers, events = map(int, sys.argv[1:])
version = 0
try:
    import simpy
except ImportError:  # SimPy 2
    from SimPy.Simulation import Process, Simulation, hold

    class Worker(Process):
        def run(self):
            global version
            while True:
                yield hold, self, random.expovariate(1)
                version += 1
                if version >= events:
                    self.sim.stopSimulation()

    world = Simulation()
    world.initialize()
    for _ in range(workers):
        one = Worker(sim=world)
        world.activate(one, one.run())
    was = time.process_time()
    world.simulate(until=1e18)
else:
    def worker(world, over):
        global version
        while True:
            yield world.timeout(random.expovariate(1))
            version += 1
            if version == events:
                over.succeed()

    world = simpy.Environment()
    end = world.event()
    for _ in range(workers):
        world.process(worker(world, end))
    was = time.process_time()
    world.run(until=end)
print(1e6 * (time.process_time() - was) / version)
