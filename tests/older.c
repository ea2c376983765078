/* older < FROM > TO: what a worker says, as one that knows nothing of entries. */
#include <string.h>
#include <unistd.h>

int main(void)
{
    static const char known[] = "\"sparse\":true", other[] = "\"spars_\":true";
    char bytes[1 << 16];
    ssize_t n;
    while ((n = read(STDIN_FILENO, bytes, sizeof bytes)) > 0) {
        for (char *at = bytes; at + strlen(known) <= bytes + n; at++) /* HELLO is written at once, and short */
            if (memcmp(at, known, strlen(known)) == 0)
                memcpy(at, other, strlen(other));
        for (ssize_t done = 0, k; done < n; done += k)
            if ((k = write(STDOUT_FILENO, bytes + done, (size_t)(n - done))) <= 0)
                return 1;
    }
    return n < 0;
}
