// Workers with exponential times on a server, simulated by SimGrid (S4U): simgrid P EVENTS. Prints CPU us an event.
#include <ctime>
#include <iostream>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>

namespace s4u = simgrid::s4u;

int main(int argc, char **argv)
{
    s4u::Engine engine(&argc, argv);
    if (argc < 3)
        return 2;
    const long workers = std::stol(argv[1]), events = std::stol(argv[2]);
    auto *zone = s4u::create_full_zone("z");
    auto *host = zone->create_host("h", 1e9);
    zone->seal();
    std::mt19937_64 random(1);
    std::exponential_distribution<double> duration(1);
    long done = 0;
    for (long i = 0; i < workers; i++)
        s4u::Actor::create("w" + std::to_string(i), host, [&]() {
            while (done < events) {
                s4u::this_actor::sleep_for(duration(random));
                done++;
            }
        });
    const std::clock_t was = std::clock();
    engine.run();
    std::cout << 1e6 * static_cast<double>(std::clock() - was) / CLOCKS_PER_SEC / static_cast<double>(done) << "\n";
    return 0;
}
