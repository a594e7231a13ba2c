#include "shared.h"

static atomic_int x, y;

static void *thread(void *argument)
{
    if (ARGUMENT == 0) {
        STORE(x, 1);
        STORE(y, 1);
    } else {
        int u = LOAD(y);
        int v = LOAD(x);
        CHECKED(!(u == 1 && v == 0));
    }
    return 0;
}

int main(void)
{
    run(thread, 2);
    return 0;
}
