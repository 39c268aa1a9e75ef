"""Compiled loops: many independent problems, and one branch through a sequence of leg positions."""

from __future__ import annotations

import numpy as np

from gough.kinematics.certificate import certify
from gough.kinematics.compiled import kernel
from gough.kinematics.forward_kernel import (
    BAD_INPUT,
    CONVERGED,
    KIND,
    answer,
    coordinates,
    orthonormalize,
)
from gough.layout import CERTIFICATE
from gough.layout import FORWARD_SOLUTION as INFO
from gough.struts import CRANK

STATUS, ITERATIONS, RESIDUAL, CERTIFIED, STRAIGHT, PIECES = (INFO.at(name) for name in INFO.names)
ROOM = CERTIFICATE.size
SMALLEST_PIECE = 2.0**-14
MOST_TRIES = 400


@kernel
def solve_batch(table, lam, guess, scale, margin, proof, pose, info):
    """Forward kinematics of N problems.  guess (N, 12) or (1, 12); pose (N, 12);
    info (N, 4): status, iterations, residual, certified."""
    c, l, J, x, trial = np.empty((6, 3)), np.empty(6), np.empty((6, 7)), np.empty(6), np.empty(12)
    w, M, A = np.empty((6, ROOM)), np.empty((6, 6)), np.empty((6, 6))
    width, mid, lamc = np.empty(6), np.empty(12), np.empty(6)
    lam0, start, beyond = np.empty(6), np.empty(12), np.zeros(6)
    for n in range(lam.shape[0]):
        g = guess[n] if guess.shape[0] > 1 else guess[0]
        status, iterations, residual = answer(table, lam[n], g, scale, pose[n], c, l, J, x, trial)
        info[n, STATUS], info[n, ITERATIONS], info[n, RESIDUAL], info[n, CERTIFIED] = (
            status,
            iterations,
            residual,
            0.0,
        )
        if proof and status == CONVERGED:
            start[:] = g
            orthonormalize(start)
            if coordinates(table, start, lam0):
                info[n, CERTIFIED] = certify(
                    table,
                    start,
                    lam0,
                    lam[n],
                    pose[n],
                    margin,
                    beyond,
                    w,
                    M,
                    A,
                    width,
                    mid,
                    lamc,
                    c,
                )


@kernel
def track_batch(table, lam, start, scale, margin, beyond, pose, info):
    """One branch through the rows of lam (N, 6).  info (N, 6): status, iterations, residual, certified,
    straight (proved for the straight leg motion, in pieces), pieces.  beyond (N, 6), m: how far each leg may go past
    its samples in between."""
    c, l, J, x, trial = np.empty((6, 3)), np.empty(6), np.empty((6, 7)), np.empty(6), np.empty(12)
    w, M, A = np.empty((6, ROOM)), np.empty((6, 6)), np.empty((6, 6))
    width, mid, lamc = np.empty(6), np.empty(12), np.empty(6)
    lam0, lam1, lam2, none = np.empty(6), np.empty(6), np.empty(6), np.zeros(6)
    last, here, there, delta = start.copy(), np.empty(12), np.empty(12), np.empty(6)
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
            info[n, CERTIFIED], info[n, STRAIGHT], info[n, PIECES] = 1.0, 1.0, 1.0
            last[:] = pose[n]
            continue
        for i in range(6):
            delta[i] = lam[n, i] - lam0[i]
            if table[i, KIND] == CRANK:
                delta[i] -= 2.0 * np.pi * np.round(delta[i] / (2.0 * np.pi))
        here[:] = last
        done, piece, pieces, tries = 0.0, 0.5, 0, 0
        while done < 1.0 and piece >= SMALLEST_PIECE and tries < MOST_TRIES:
            tries += 1
            end = min(1.0, done + piece)
            for i in range(6):
                lam1[i] = lam0[i] + done * delta[i]
                lam2[i] = lam[n, i] if end == 1.0 else lam0[i] + end * delta[i]
            ok, _, residual = answer(table, lam2, here, scale, there, c, l, J, x, trial)
            good = ok == CONVERGED and certify(
                table, here, lam1, lam2, there, margin, none, w, M, A, width, mid, lamc, c
            )
            if good:
                here[:], done, pieces = there, end, pieces + 1
                piece *= 2.0
            else:
                piece *= 0.5
        info[n, PIECES] = pieces
        if done >= 1.0:
            info[n, STATUS], info[n, RESIDUAL], info[n, STRAIGHT] = CONVERGED, residual, 1.0
            pose[n] = here
        if info[n, STATUS] == CONVERGED:
            last[:] = pose[n]
