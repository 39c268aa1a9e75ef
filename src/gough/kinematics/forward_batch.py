"""Compiled loops: many independent problems, and one branch through a sequence of leg positions."""

from __future__ import annotations

import numpy as np

from gough.kinematics.certificate import certify
from gough.kinematics.compiled import kernel
from gough.kinematics.forward_kernel import (
    BAD_INPUT,
    CONVERGED,
    KIND,
    UNREACHABLE,
    answer,
    coordinates,
    orthonormalize,
    take,
)
from gough.kinematics.forward_lanes import (
    FOUND,
    IN,
    LANES,
    OUT,
    ROUNDS_DONE,
    machine_row,
    newton_lanes,
)
from gough.kinematics.forward_lanes import RESIDUAL as LEFT
from gough.layout import CERTIFICATE
from gough.layout import FORWARD_SOLUTION as INFO
from gough.struts import CRANK

STATUS, ITERATIONS, RESIDUAL, CERTIFIED, STRAIGHT, PIECES = (
    INFO.at(name)
    for name in ("status", "iterations", "residual", "certified", "straight", "pieces")
)
ROOM, HELD = CERTIFICATE.size, FOUND.size
SMALLEST_PIECE = 2.0**-14
MOST_TRIES = 400  # pieces tried in one step of a track
TRIES_FROM_AFAR = 120  # and from a guess


@kernel
def straight_on(
    table, last, lam0, lam, scale, margin, most, here, there, work, lam1, lam2, c, l, J, x, trial
):
    """Follow the straight leg motion from `last` at lam0 to lam in certified pieces: (whole, pieces, residual).

    `here` is the pose at the end.  Pieces are halved where the proof fails and doubled where it holds, `most` tries.
    """
    w, M, A, width, mid, lamc, none = work
    take(here, last)
    done, piece, pieces, tries, residual = 0.0, 0.5, 0, 0, np.nan
    while done < 1.0 and piece >= SMALLEST_PIECE and tries < most:
        tries += 1
        end = min(1.0, done + piece)
        for i in range(6):
            delta = lam[i] - lam0[i]
            if table[i, KIND] == CRANK:
                delta -= 2.0 * np.pi * np.round(delta / (2.0 * np.pi))
            lam1[i] = lam0[i] + done * delta
            lam2[i] = lam[i] if end == 1.0 else lam0[i] + end * delta
        ok, _, residual = answer(table, lam2, here, scale, there, c, l, J, x, trial)
        if ok == CONVERGED and certify(
            table, here, lam1, lam2, there, margin, none, w, M, A, width, mid, lamc, c
        ):
            take(here, there)
            done, pieces = end, pieces + 1
            piece *= 2.0
        else:
            piece *= 0.5
    return done >= 1.0, pieces, residual


@kernel
def solve_batch(table, lam, guess, scale, margin, proof, pose, info):
    """Forward kinematics of N problems.  guess (N, 12) or (1, 12); pose (N, 12); info (N, INFO.size).

    proof: certify each answer; where that fails follow the straight motion of the legs from the guess, whose pose is
    then the answer, whatever Newton found from there.
    """
    c, l, J, x, trial = np.empty((6, 3)), np.empty(6), np.empty((7, 7)), np.empty(6), np.empty(12)
    w, M, A = np.empty((6, ROOM)), np.empty((6, 6)), np.empty((6, 6))
    width, mid, lamc = np.empty(6), np.empty(12), np.empty(6)
    lam0, lam1, lam2, none = np.empty(6), np.empty(6), np.empty(6), np.zeros(6)
    start, here, there = np.empty(12), np.empty(12), np.empty(12)
    work = w, M, A, width, mid, lamc, none
    X, Y, found = np.ones((IN, LANES)), np.empty((OUT, LANES)), np.empty((HELD, LANES))
    machine = machine_row(table, scale)
    for n in range(lam.shape[0]):
        g, lane = guess[n] if guess.shape[0] > 1 else guess[0], n % LANES
        if lane == 0:
            newton_lanes(table, machine, lam, guess, n, pose, X, Y, c, l, found)
        status, iterations = CONVERGED, 2 * int(found[ROUNDS_DONE, lane])
        residual = found[LEFT, lane]
        if iterations == 0:
            status, iterations, residual = answer(
                table, lam[n], g, scale, pose[n], c, l, J, x, trial
            )
        info[n, STATUS], info[n, ITERATIONS], info[n, RESIDUAL] = status, iterations, residual
        info[n, CERTIFIED:] = 0.0
        if not proof or status in (BAD_INPUT, UNREACHABLE):
            continue
        take(start, g)
        orthonormalize(start)
        if not coordinates(table, start, lam0):
            continue
        if status == CONVERGED and certify(
            table, start, lam0, lam[n], pose[n], margin, none, w, M, A, width, mid, lamc, c
        ):
            info[n, CERTIFIED:] = 1.0
            continue
        whole, pieces, residual = straight_on(
            table, start, lam0, lam[n], scale, margin, np.int64(TRIES_FROM_AFAR),
            here, there, work, lam1, lam2, c, l, J, x, trial,
        )  # fmt: skip
        info[n, PIECES] = pieces
        if whole:
            info[n, STATUS], info[n, RESIDUAL], info[n, STRAIGHT] = CONVERGED, residual, 1.0
            take(pose[n], here)


@kernel
def track_batch(table, lam, start, scale, margin, beyond, pose, info):
    """One branch through the rows of lam (N, 6).  info (N, INFO.size): status, iterations, residual, certified,
    straight (proved for the straight leg motion, in pieces), pieces.  beyond (N, 6), m: how far each leg may go past
    its samples in between."""
    c, l, J, x, trial = np.empty((6, 3)), np.empty(6), np.empty((7, 7)), np.empty(6), np.empty(12)
    w, M, A = np.empty((6, ROOM)), np.empty((6, 6)), np.empty((6, 6))
    width, mid, lamc = np.empty(6), np.empty(12), np.empty(6)
    lam0, lam1, lam2, none = np.empty(6), np.empty(6), np.empty(6), np.zeros(6)
    last, here, there = start.copy(), np.empty(12), np.empty(12)
    work = w, M, A, width, mid, lamc, none
    orthonormalize(last)
    for n in range(lam.shape[0]):
        info[n, CERTIFIED:] = 0.0
        status, iterations, residual = answer(
            table, lam[n], last, scale, pose[n], c, l, J, x, trial
        )
        info[n, STATUS], info[n, ITERATIONS], info[n, RESIDUAL] = status, iterations, residual
        if status == BAD_INPUT or not coordinates(table, last, lam0):
            continue
        if status == CONVERGED and certify(
            table, last, lam0, lam[n], pose[n], margin, beyond[n], w, M, A, width, mid, lamc, c
        ):
            info[n, CERTIFIED:] = 1.0
            take(last, pose[n])
            continue
        whole, pieces, residual = straight_on(
            table, last, lam0, lam[n], scale, margin, np.int64(MOST_TRIES),
            here, there, work, lam1, lam2, c, l, J, x, trial,
        )  # fmt: skip
        info[n, PIECES] = pieces
        if whole:
            info[n, STATUS], info[n, RESIDUAL], info[n, STRAIGHT] = CONVERGED, residual, 1.0
            take(pose[n], here)
        if info[n, STATUS] == CONVERGED:
            take(last, pose[n])
