# A gigabyte of output passes through; what is kept of it is bounded, and says so.
cat > prints.c << 'END'
#include <string.h>
#include <unistd.h>
static char line[1 << 16];
int main(void)
{
    memset(line, 'a', sizeof line);
    for (int i = 0; i < 1 << 14; i++)
        if (write(1, line, sizeof line) != sizeof line)
            return 1;
    return 0;
}
END
"$HEDDLE" cc -O1 prints.c -o prints
timeout 300 "$HEDDLE" run --timeout 200 -- ./prints | wc -c
test "$(stat -c %s prints.heddle/runs/last/output)" -lt 100000000 && echo "what is kept is bounded"
