import {describe, expect, test} from "vitest"
import {dayOf, reserve, runLimitOf, subjectsOf} from "../../../server/agents/runs/spending.ts"
import {bindingOf} from "../../support/agents/bindings.ts"

const {config} = bindingOf()
const limited = (limits: Partial<typeof config.limits>, prices?: {input: number; output: number}) => ({
  limits: {...config.limits, ...limits},
  ...(prices === undefined ? {} : {prices}),
})
const fresh = {tokens: 0, money: 0}

describe("the reserve for a model call", () => {
  test("is its input, plus as much output as the binding allows", () => {
    expect(reserve(fresh, limited({output: 100, tokens: 1000}), 300)).toEqual({tokens: 400, money: 0, output: 100})
  })
  test("has no more output than the tokens left in the run", () => {
    expect(reserve({tokens: 650, money: 0}, limited({output: 100, tokens: 1000}), 300)).toEqual({
      tokens: 350,
      money: 0,
      output: 50,
    })
  })
  test("is nothing when too few tokens are left for an answer", () => {
    expect(reserve({tokens: 690, money: 0}, limited({output: 100, tokens: 1000}), 300)).toBe("limit_tokens")
  })
  test("is nothing when it could exceed the money of the run", () => {
    const prices = {input: 1, output: 10}
    // 300 × 1 + 100 × 10 millionths.
    expect(reserve(fresh, limited({output: 100, money: 0.0013}, prices), 300)).toMatchObject({money: 1300})
    expect(reserve({tokens: 0, money: 1}, limited({output: 100, money: 0.0013}, prices), 300)).toBe("limit_money")
  })
})

test("a run stops at its limits of steps and seconds", () => {
  const limits = limited({steps: 3, seconds: 2})
  expect(runLimitOf({steps: 2, active: 1999}, limits)).toBeUndefined()
  expect(runLimitOf({steps: 3, active: 0}, limits)).toBe("limit_steps")
  expect(runLimitOf({steps: 0, active: 2000}, limits)).toBe("limit_seconds")
})

test("a run counts for its day, its user and its channel", () => {
  expect(dayOf(Date.UTC(2026, 10, 25, 23, 59))).toBe("2026-11-25")
  expect(subjectsOf({endpoint: "irc~a", channel: "#x", place: {user: {id: "ada"}}})).toEqual({
    day: "",
    user: "user irc~a ada",
    channel: "channel irc~a #x",
  })
  expect(subjectsOf({endpoint: undefined, channel: undefined, place: {}})).toEqual({day: ""})
})
