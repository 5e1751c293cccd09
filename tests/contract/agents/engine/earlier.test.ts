import {expect, test} from "vitest"
import {Type} from "../../../../shared/sdk/sdk.ts"
import {usualLimits} from "../../../support/agents/bindings.ts"
import type {ModelQuestion} from "../../../support/agents/question.ts"
import type {ScriptedAnswer} from "../../../support/agents/scripted-model.ts"
import {converse} from "./conversation.ts"

/** Looks up what the user asks for with "look", and then answers. */
const looking = ({last, results}: ModelQuestion): ScriptedAnswer =>
  last.text.startsWith("look") && results === 0
    ? {
        calls: [
          {name: "weather.look", args: {}},
          {name: "weather.look", args: {}},
        ],
      }
    : {text: `answer ${last.text.length}`}

const talk = (answer: string, tokens = 200_000) =>
  converse({
    script: looking,
    settings: {limits: {...usualLimits, tokens}},
    setup: plugin =>
      plugin.tool("look", {description: "Looks", parameters: Type.Object({}), effect: "none"}, () => answer),
  })

test("the next question of the user comes with the earlier ones, their calls and their results", async () => {
  const {ask, model} = await talk("sunny in Lund ".repeat(500))
  await ask("look outside")
  await ask("and now?")
  await ask("hello", "bob")
  const [, , second, other] = model.requests
  expect(second?.messages.map(({role}) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant", "user"])
  expect(second?.messages[1]?.calls.map(({id}) => id)).toEqual(second?.messages.slice(2, 4).map(({call}) => call))
  expect(second?.messages[2]?.text).toMatch(
    /^sunny in Lund .+\[Cut: only the first 2000 of 2001 characters are shown\.\]$/s,
  )
  expect(other?.messages.map(({text}) => text)).toEqual(["hello"])
})

test("earlier questions end at a day and at a share of the run's tokens, and lose their results first", async () => {
  // A 32th of 32,000 tokens are 1000, and of them a result takes two thirds.
  const {ask, model, clock, database} = await talk("x".repeat(1900), 32_000)
  await ask("look at one")
  await ask("look at two")
  await ask("three")
  const asked = () =>
    model.requests
      .at(-1)
      ?.messages.filter(({role}) => role === "user")
      .map(({text}) => text)
  expect(asked()).toEqual(["look at one", "look at two", "three"])
  expect(model.requests.at(-1)?.messages.filter(({role}) => role === "tool")).toHaveLength(0)
  for (let n = 0; n < 10; n++) await ask(`${n} ${"long ".repeat(80)}`)
  expect(asked()?.length).toBeGreaterThan(4)
  expect(asked()?.length).toBeLessThan(9)
  await database.write([{sql: "UPDATE agent_runs SET input = '[redacted]', answer = NULL WHERE input LIKE '9 %'"}])
  await ask("what?")
  expect(asked()?.slice(-2)).toEqual([`8 ${"long ".repeat(80)}`, "what?"])
  clock.set(24 * 3_600_000)
  await ask("tomorrow")
  expect(asked()).toEqual(["tomorrow"])
})
