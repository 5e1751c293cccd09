import {expect, test} from "vitest"
import {rowReader} from "../../../server/database/lists/rows.ts"
import {Named, orNull, Time, Type} from "../../../shared/type.ts"

test("a row is read by the schema of its view", () => {
  const [n, at] = [Type.Integer(), Time()]
  const read = rowReader(Named("View", {kind: Type.Literal("x"), n, at, endedAt: orNull(at), by: orNull(n)}), {n: "no"})
  const row = {no: 7n, at: 0, ended_at: 1000, by: null}
  const times = {at: "1970-01-01T00:00:00.000Z", endedAt: "1970-01-01T00:00:01.000Z"}
  expect(read(row as never)).toEqual({kind: "x", n: 7, ...times, by: null})
})
