import {expect, test} from "vitest"
import {fits} from "../../../server/config/check.ts"
import {closed} from "../../../server/config/close.ts"
import {explainValue} from "../../../server/runtime/text/explain.ts"
import {Type} from "../../../shared/type.ts"

const findings = (schema: Parameters<typeof closed>[0], value: unknown) =>
  explainValue(closed(schema), value).map(({path, message}) => `${path.join(".")}: ${message}`)

test("a schema refuses unnamed keys at every depth, and suggests the intended one", () => {
  const schema = Type.Object({
    greeting: Type.String(),
    limits: Type.Object({rate: Type.Integer()}),
    rooms: Type.Array(Type.Object({name: Type.String()})),
    byUser: Type.Record(Type.String(), Type.Object({color: Type.Optional(Type.String())})),
  })
  const value = {
    greeting: "hello",
    greting: "hello",
    limits: {rate: 1, rte: 1},
    rooms: [{name: "a", nam: "a"}],
    byUser: {ann: {colour: "red"}},
  }
  expect(fits(schema, value)).toBe(true)
  expect(findings(schema, value).sort()).toEqual([
    'byUser.ann.colour: unknown key (did you mean "color"?)',
    'greting: unknown key (did you mean "greeting"?)',
    'limits.rte: unknown key (did you mean "rate"?)',
    'rooms.0.nam: unknown key (did you mean "name"?)',
  ])
})

test("a schema that allows other keys still allows them", () => {
  const open = Type.Object({a: Type.Optional(Type.String())}, {additionalProperties: true})
  const numbers = Type.Object({}, {additionalProperties: Type.Number()})
  for (const schema of [
    open,
    numbers,
    Type.Record(Type.String(), Type.Number()),
    Type.Unknown(),
    Type.Unsafe({type: "object"}),
  ])
    expect(fits(closed(schema), {b: 1})).toBe(true)
  expect(fits(closed(numbers), {b: "1"})).toBe(false)
})

test("each member of a union is closed, but not the parts of an intersection", () => {
  const union = Type.Union([Type.Object({a: Type.Number()}), Type.Object({b: Type.Number()})])
  expect([{a: 1}, {b: 1}, {a: 1, c: 1}].map(value => fits(closed(union), value))).toEqual([true, true, false])
  const both = Type.Intersect([Type.Object({a: Type.Number()}), Type.Object({b: Type.Number()})])
  expect(fits(closed(both), {a: 1, b: 1})).toBe(true)
})

test("the plugin's own schema stays unchanged", () => {
  const schema = Type.Object({a: Type.String()})
  expect(closed(schema)).toBe(closed(schema))
  expect(fits(schema, {a: "x", b: 1})).toBe(true)
})
