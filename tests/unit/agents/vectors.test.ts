import {expect, test} from "vitest"
import {fused, nearest} from "../../../server/agents/memory/vectors.ts"

const blob = (...values: readonly number[]) => new Uint8Array(Float32Array.from(values).buffer)

test("the nearest vectors come first, the newest of equal ones, and others count not", () => {
  const rows = [
    {seq: 1, vector: blob(0, 1)},
    {seq: 2, vector: blob(1, 0)},
    {seq: 3, vector: blob(1, 0).buffer},
    {seq: 4, vector: blob(1, 0, 0)},
    {seq: 5, vector: new Uint8Array(7)},
    {seq: 6, vector: null},
  ]
  expect(nearest(rows, Float32Array.of(1, 0), 2)).toEqual([3, 2])
  expect(nearest(rows, Float32Array.of(0, 1), 9)).toEqual([1, 3, 2])
})

test("what two rankings have is before what one has, also at a better place", () => {
  expect(
    fused([
      [1, 2, 3],
      [4, 2, 5],
    ]),
  ).toEqual([2, 4, 1, 5, 3])
  expect(fused([[7, 8], []])).toEqual([7, 8])
})
