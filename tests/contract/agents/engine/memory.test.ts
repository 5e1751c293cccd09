import {expect, test} from "vitest"
import {facts, noiseOf, people} from "../../../support/agents/facts.ts"
import {memoriesIn, noting} from "../../../support/agents/memory.ts"
import {converse} from "./conversation.ts"

const day = 24 * 3_600_000
const memory = {user: "60d", channel: "60d", summary: "none", commands: false}

test("of forty facts among noise over thirty days, a later question gets nine in ten, and no other user's", async () => {
  const scene = await converse({script: noting, settings: {memory}})
  const {ask, clock, model} = scene
  // Facts come on the first twenty days, noise on all.
  for (let today = 0; today < 30; today++) {
    for (const user of people) for (const n of [0, 1]) await ask(`note user: ${noiseOf(user, today * 2 + n)}`, user)
    for (const {user, fact} of facts.filter((_, n) => n % 20 === today % 20 && today < 20))
      await ask(`note user: ${fact}`, user)
    clock.set(day)
  }
  let found = 0
  for (const {user, fact, question} of facts) {
    await ask(question, user)
    const seen = memoriesIn(model.requests.at(-1))
    if (seen.some(line => line.includes(JSON.stringify(fact)))) found++
    const others = facts.filter(each => each.user !== user)
    expect(others.filter(each => seen.some(line => line.includes(each.fact)))).toEqual([])
  }
  process.stdout.write(`recall with the scripted model: ${found} of ${facts.length}\n`)
  expect(facts).toHaveLength(40)
  expect(found).toBeGreaterThanOrEqual(36)
}, 300_000)

test("a call that is repeated, and later calls of the run, send the memories that the first one chose", async () => {
  const scene = await converse({
    script: async question => {
      const {index} = question
      if (index < 2) return noting(question)
      if (index === 2) {
        await scene.database.write([
          {
            sql: `INSERT INTO agent_memories (agent, scope, owner, spot, endpoint, channel, user, author, text, words, created_at, expires_at)
              SELECT agent, scope, owner, spot, endpoint, channel, user, author, 'came later', 'came later', created_at, expires_at FROM agent_memories`,
          },
        ])
        return {status: 503}
      }
      return index === 3 ? {calls: [{name: "remember", args: {about: "user", text: "came in this run"}}]} : {text: "ok"}
    },
    settings: {memory},
  })
  await scene.ask("note user: came first")
  expect((await scene.ask("what came?")).state).toBe("succeeded")
  const seen = scene.model.requests.slice(2).map(request => memoriesIn(request).map(line => line.split(": ").at(-1)))
  expect(seen).toEqual([['"came first"'], ['"came first"'], ['"came first"']])
  const [row] = await scene.database.read("SELECT count(*) AS n FROM agent_memories")
  expect(row).toEqual({n: 3})
  await scene.ask("what came?")
  expect(memoriesIn(scene.model.requests.at(-1))).toHaveLength(3)
})
