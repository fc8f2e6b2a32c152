// Times MuJoCo's step from a standing start, as physics_bench does ours: from the pose given it
// settles for 0.3 s, and every window starts from there at rest.
//
//   mujoco_physics MODEL.xml START.bin STEPS WINDOWS
//
// Prints one JSON line: best nanoseconds per step over windows that all start anew, mean contacts and solver
// iterations, and the height of the root at the end over that at the start.

#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mujoco/mujoco.h>

#define SETTLE 0.3  // s, as in physics_bench.rs

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "mujoco_physics: %s%s\n", what, detail);
  exit(1);
}

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 5) fail("usage: mujoco_physics MODEL.xml START.bin STEPS WINDOWS", "");
  char error[1000] = "";
  mjModel *m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!m) fail("cannot load the model: ", error);
  int steps = atoi(argv[3]), windows = atoi(argv[4]);
  if (steps < 1 || windows < 1) fail("needs steps and windows", "");
  size_t nq = (size_t)m->nq;
  double *start = malloc(nq * sizeof(double));
  FILE *f = fopen(argv[2], "rb");
  if (!start || !f || fread(start, sizeof(double), nq, f) != nq) fail("cannot read ", argv[2]);
  fclose(f);
  mjData *d = mj_makeData(m);
  if (!d) fail("out of memory", "");

  memcpy(d->qpos, start, nq * sizeof(double));
  while (d->time < SETTLE) mj_step(m, d);
  memcpy(start, d->qpos, nq * sizeof(double));

  double best = 0, contacts = 0, iterations = 0, height = 0;
  for (int window = 0; window <= windows; window++) {
    mj_resetData(m, d);
    memcpy(d->qpos, start, nq * sizeof(double));
    if (window == 0) {  // counts instead, and warms caches
      for (int k = 0; k < steps; k++) {
        mj_step(m, d);
        contacts += d->ncon;
        int islands = mjMAX(1, mjMIN(d->nisland, mjNISLAND));
        for (int k = 0; k < islands; k++) iterations += d->solver_niter[k];
      }
      height = d->qpos[2] / start[2];
      continue;
    }
    double begin = now_ns();
    for (int k = 0; k < steps; k++) mj_step(m, d);
    double spent = (now_ns() - begin) / steps;
    if (window == 1 || spent < best) best = spent;
  }
  printf("{\"ns\":%.1f,\"contacts\":%.3f,\"iterations\":%.3f,\"height\":%.4f,\"step\":%.17g,\"nv\":%d}\n", best,
         contacts / steps, iterations / steps, height, m->opt.timestep, (int)m->nv);
  mj_deleteData(d);
  mj_deleteModel(m);
  free(start);
  return 0;
}
