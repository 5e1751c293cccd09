import {expect, test} from "vitest"
import {LookSize} from "../../../server/database/retention/look-size.ts"

/** The rows of each look. A look takes `look` milliseconds plus `row` milliseconds for each row that it deletes. */
const looksOf = (count: number, {look, row}: {readonly look: number; readonly row: number}): readonly number[] => {
  const size = new LookSize()
  return Array.from({length: count}, () => {
    const {rows} = size
    size.took(look + row * rows, true)
    return rows
  })
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length

test("a look keeps its rows if the disk is slow, not the rows", () => {
  expect(mean(looksOf(200, {look: 100, row: 0.01}))).toBeGreaterThan(90)
})

test("a look gets fewer rows if the rows take the time", () => {
  expect(looksOf(6, {look: 1, row: 1})).toEqual([100, 50, 25, 13, 10, 10])
})

test("a look gets more rows again once they take less time", () => {
  const size = new LookSize()
  for (let look = 0; look < 6; look++) size.took(1 + 2 * size.rows, true)
  expect(size.rows).toBe(10)
  for (let look = 0; look < 4; look++) size.took(5, true)
  expect(size.rows).toBe(100)
})

test("a look that wrote nothing changes no size, however long it took", () => {
  const size = new LookSize()
  size.took(1000, false)
  expect(size.rows).toBe(100)
})

test("a disk that is slow for a while does not leave looks small", () => {
  const size = new LookSize()
  for (let look = 0; look < 20; look++) size.took(look % 3 === 0 ? 40 : 30, true)
  for (let look = 0; look < 3; look++) size.took(3, true)
  expect(size.rows).toBe(100)
})
