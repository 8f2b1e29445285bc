// SPDX-License-Identifier: Apache-2.0
// A routing table and its interfaces: each counts the routes that use it.
#include <pthread.h>
#include <stdio.h>

#define MAX_ROUTES 8
#define MAX_IFACES 2

struct iface
{
  pthread_mutex_t lock;
  int up;
  int users;
};

struct route
{
  int prefix;
  struct iface *via;
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct route table[MAX_ROUTES];
static int n_routes;

static struct iface ifaces[MAX_IFACES]
    = { { PTHREAD_MUTEX_INITIALIZER, 1, 0 },
        { PTHREAD_MUTEX_INITIALIZER, 1, 0 } };

static int
route_add (int prefix, struct iface *via)
{
  int added = 0;

  pthread_mutex_lock (&table_lock);
  pthread_mutex_lock (&via->lock);
  if (via->up && n_routes < MAX_ROUTES)
    {
      table[n_routes].prefix = prefix;
      table[n_routes].via = via;
      n_routes++;
      via->users++;
      added = 1;
    }
  pthread_mutex_unlock (&via->lock);
  pthread_mutex_unlock (&table_lock);
  return added;
}

/* Takes an interface down, and its routes out of the table. */
static void
iface_down (struct iface *ifc)
{
  int i, kept = 0;

  pthread_mutex_lock (&table_lock);
  pthread_mutex_lock (&ifc->lock);
  ifc->up = 0;
  for (i = 0; i < n_routes; i++)
    {
      if (table[i].via == ifc)
        ifc->users--;
      else
        table[kept++] = table[i];
    }
  n_routes = kept;
  pthread_mutex_unlock (&ifc->lock);
  pthread_mutex_unlock (&table_lock);
}

/* Do the interface and the table agree?  */
static int
iface_report (struct iface *ifc)
{
  int i, seen = 0, same;

  pthread_mutex_lock (&ifc->lock);
  pthread_mutex_lock (&table_lock);
  for (i = 0; i < n_routes; i++)
    seen += table[i].via == ifc;
  same = seen == ifc->users;
  pthread_mutex_unlock (&table_lock);
  pthread_mutex_unlock (&ifc->lock);
  return same;
}

static void *
daemon_main (void *arg)
{
  (void)arg;
  route_add (10, &ifaces[0]);
  route_add (20, &ifaces[1]);
  route_add (30, &ifaces[0]);
  return NULL;
}

static void *
link_main (void *arg)
{
  (void)arg;
  iface_down (&ifaces[1]);
  return NULL;
}

int
main (void)
{
  pthread_t routing, link;
  int same;

  pthread_create (&routing, NULL, daemon_main, NULL);
  pthread_create (&link, NULL, link_main, NULL);
  same = iface_report (&ifaces[0]);
  pthread_join (routing, NULL);
  pthread_join (link, NULL);
  same = same && iface_report (&ifaces[0]) && iface_report (&ifaces[1]);
  if (!same || n_routes != 2)
    {
      fprintf (stderr, "the table has %d routes\n", n_routes);
      return 1;
    }
  return 0;
}
