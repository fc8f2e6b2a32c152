// Times MuJoCo's smooth dynamics on states made by prepare.py.
//
//   mujoco_bench MODEL.xml STATES.bin REPEATS
//
// Prints one JSON line: best nanoseconds per call of each stage, and checksums. "stages" is MuJoCo at
// its best, see show_poses(); "stages_stock" is the same calls on the model as it comes.

#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mujoco/mujoco.h>

enum { MASS_MATRIX, FACTOR, BIAS, FORWARD, FORWARD_FULL, STAGES };
enum { LEAN, STOCK, VARIANTS };
static const char *const NAMES[STAGES] = {"mass_matrix", "factor", "bias", "forward",
                                          "forward_full"};

typedef struct {
  size_t count, nq, nv;
  double *data;  // per state: qpos, qvel, tau
} States;

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "mujoco_bench: %s%s\n", what, detail);
  exit(1);
}

static States read_states(const char *path, const mjModel *m) {
  FILE *f = fopen(path, "rb");
  uint64_t head[3];
  if (!f || fread(head, sizeof head, 1, f) != 1) fail("cannot read ", path);
  States s = {head[0], head[1], head[2], NULL};
  if (!s.count || s.nq != (size_t)m->nq || s.nv != (size_t)m->nv)
    fail("states do not fit the model: ", path);
  size_t n = s.count * (s.nq + 2 * s.nv);
  s.data = malloc(n * sizeof(double));
  if (!s.data || fread(s.data, sizeof(double), n, f) != n) fail("truncated states: ", path);
  fclose(f);
  return s;
}

// The leanest sequence of public calls for each stage, from qpos, qvel, tau to its result:
// d->M; d->qLD; d->qfrc_bias; d->qacc_smooth; d->qacc_smooth.
static void run_stage(const mjModel *m, mjData *d, int stage) {
  if (stage == FORWARD_FULL) {
    mj_forward(m, d);
    return;
  }
  mj_kinematics(m, d);
  mj_comPos(m, d);
  if (stage != BIAS) mj_crb(m, d);
  if (stage == FACTOR || stage == FORWARD) mj_factorM(m, d);
  if (stage == BIAS || stage == FORWARD) {
    mj_comVel(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
  }
  if (stage == FORWARD) {
    mju_sub(d->qfrc_smooth, d->qfrc_applied, d->qfrc_bias, m->nv);
    mj_solveM(m, d, d->qacc_smooth, d->qfrc_smooth, 1);
  }
}

// mj_kinematics also places every geom and site: up to a quarter of the time, and no part of the
// dynamics. No flag turns that off, so the counts are hidden from it. The checksums are taken that
// way, and would tell if a later version minded.
static void show_poses(mjModel *m, const mjModel *original, int show) {
  for (int b = 0; b < m->nbody; b++) m->body_geomnum[b] = show ? original->body_geomnum[b] : 0;
  m->nsite = show ? original->nsite : 0;
}

// Copies one state in; tens of nanoseconds, and part of every timed call.
static void load(mjData *d, const States *s, size_t i) {
  const double *x = s->data + i * (s->nq + 2 * s->nv);
  memcpy(d->qpos, x, s->nq * sizeof(double));
  memcpy(d->qvel, x + s->nq, s->nv * sizeof(double));
  memcpy(d->qfrc_applied, x + s->nq + s->nv, s->nv * sizeof(double));
}

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double abs_sum(const mjtNum *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += fabs(x[i]);
  return sum;
}

// Sums of absolute results over all states; log det M for the factor, which does not depend on the
// kind of factorisation. Returns the sum of kinetic energies.
static double check(const mjModel *m, mjData *d, const States *s, double sums[STAGES]) {
  size_t nv = s->nv;
  double energy = 0;
  mjtNum *dense = malloc(nv * nv * sizeof(mjtNum));
  if (!dense) fail("out of memory", "");
  for (int stage = 0; stage < STAGES; stage++) {
    sums[stage] = 0;
    for (size_t i = 0; i < s->count; i++) {
      load(d, s, i);
      run_stage(m, d, stage);
      if (stage == MASS_MATRIX) {
        mj_fullM(m, d, dense);
        for (size_t row = 0; row < nv; row++) {
          sums[stage] += abs_sum(dense + row * nv, row + 1);
          energy += 0.5 * d->qvel[row] * mju_dot(dense + row * nv, d->qvel, (int)nv);
        }
      } else if (stage == FACTOR) {
        for (size_t k = 0; k < nv; k++) sums[stage] -= log(d->qLDiagInv[k]);
      } else {
        sums[stage] += abs_sum(stage == BIAS ? d->qfrc_bias : d->qacc_smooth, nv);
      }
    }
  }
  free(dense);
  return energy;
}

static void print_numbers(const char *title, const char *format, const double x[STAGES]) {
  printf("\"%s\":{", title);
  for (int k = 0; k < STAGES; k++) {
    printf("%s\"%s\":", k ? "," : "", NAMES[k]);
    printf(format, x[k]);
  }
  printf("},");
}

int main(int argc, char **argv) {
  if (argc != 4) fail("usage: mujoco_bench MODEL.xml STATES.bin REPEATS", "");
  char error[1000] = "";
  mjModel *m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!m) fail("cannot load the model: ", error);
  int repeats = atoi(argv[3]) > 0 ? atoi(argv[3]) : 1;

  // Only smooth dynamics: everything off but gravity.
  m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_EQUALITY | mjDSBL_FRICTIONLOSS | mjDSBL_LIMIT |
                         mjDSBL_CONTACT | mjDSBL_SPRING | mjDSBL_DAMPER | mjDSBL_ACTUATION |
                         mjDSBL_SENSOR | mjDSBL_ISLAND;
  m->opt.enableflags = 0;

  States states = read_states(argv[2], m);
  mjModel *original = mj_copyModel(NULL, m);
  mjData *d = mj_makeData(m);
  if (!original || !d) fail("out of memory", "");

  double sums[STAGES], best[VARIANTS][STAGES];
  show_poses(m, original, 0);
  double energy = check(m, d, &states, sums);  // also warms caches

  // One clock pair per pass over all states, stages in turn so that noise hits all alike.
  for (int r = 0; r < repeats; r++) {
    for (int variant = 0; variant < VARIANTS; variant++) {
      show_poses(m, original, variant == STOCK);
      for (int stage = 0; stage < STAGES; stage++) {
        double start = now_ns();
        for (size_t i = 0; i < states.count; i++) {
          load(d, &states, i);
          run_stage(m, d, stage);
        }
        double spent = (now_ns() - start) / (double)states.count;
        if (r == 0 || spent < best[variant][stage]) best[variant][stage] = spent;
      }
    }
  }
  best[LEAN][FORWARD_FULL] = best[STOCK][FORWARD_FULL];  // mj_forward is meant as users call it

  printf("{\"program\":\"mujoco\",\"version\":\"%s\",\"states\":%zu,\"repeats\":%d,",
         mj_versionString(), states.count, repeats);
  print_numbers("stages", "%.1f", best[LEAN]);
  print_numbers("stages_stock", "%.1f", best[STOCK]);
  print_numbers("checksums", "%.17g", sums);
  printf("\"energy\":%.17g}\n", energy);

  mj_deleteData(d);
  mj_deleteModel(original);
  mj_deleteModel(m);
  free(states.data);
  return 0;
}
