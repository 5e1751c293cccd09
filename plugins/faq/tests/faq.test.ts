import assert from "node:assert/strict"
import {mkdtempSync, rmSync, writeFileSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {test} from "node:test"
import {plugin} from "svc-runtime/test"
import faq from "../plugins/faq.ts"

const questions = `# Questions

## How do I install it?
Also: install Windows, Café öffnen
also: setup

Run \`npm install\`, then **wait**.

\`\`\`sh
## no heading
\`\`\`

## When do we meet?
Also: next meeting, 下一次会议

On Mondays.
`

type Use = (file: {path: string; write(text: string): void}) => Promise<unknown>

/** Calls a function with a file of these questions, and deletes the file. */
const withFile = async (text: string, use: Use): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "faq-"))
  const path = join(folder, "faq.md")
  const write = (content: string) => writeFileSync(path, content)
  try {
    write(text)
    await use({path, write})
  } finally {
    rmSync(folder, {recursive: true})
  }
}

const team = {channel: "team", group: true}
const install = "Run npm install, then wait.\n\n## no heading"

test("answers a message that has all words of a phrase, whatever their order, case and accents", () =>
  withFile(questions, ({path}) =>
    plugin.test(faq, {config: {file: path, cooldown: 0}}, async bot => {
      for (const text of [
        "can I INSTALL this on my windows?",
        "How do I install it",
        "das CAFE ÖFFNEN bitte",
        "Setup?",
      ])
        assert.deepEqual(await bot.say(text, team), [install], text)
      assert.deepEqual(await bot.say("when is the next meeting", team), ["On Mondays."])
      assert.deepEqual(await bot.say("请问下一次会议是什么时候", team), ["On Mondays."])
      assert.deepEqual(await bot.say("can I install this?", team), [])
      assert.deepEqual(await bot.say("installing windows", team), [])
    }),
  ))

test("answers by a share of the words, and only in some channels", () =>
  withFile(questions, ({path}) =>
    plugin.test(faq, {config: {file: path, share: 0.7, channels: ["team"]}}, async bot => {
      assert.equal((await bot.say("how can I install it", team)).length, 1)
      assert.deepEqual(await bot.say("how can I install it", {...team, channel: "other"}), [])
    }),
  ))

test("does not repeat an answer in a channel for five minutes", () =>
  withFile(questions, ({path}) =>
    plugin.test(faq, {config: {file: path}}, async bot => {
      const asks = async (channel = "team") => (await bot.say("next meeting?", {...team, channel})).length
      assert.equal(await asks(), 1)
      assert.equal(await asks(), 0)
      assert.equal(await asks("other"), 1)
      assert.equal((await bot.say("setup?", team)).length, 1)
      await bot.clock.advance({minutes: 4, seconds: 59})
      assert.equal(await asks(), 0)
      await bot.clock.advance(1)
      assert.equal(await asks(), 1)
    }),
  ))

test("lists the questions, and finds one", () =>
  withFile(questions, ({path}) =>
    plugin.test(faq, {config: {file: path}}, async bot => {
      const list = "- How do I install it?\n- When do we meet?"
      assert.deepEqual(await bot.say("/faq"), [`Questions:\n${list}`])
      assert.deepEqual(await bot.say("/faq", {user: "jan", language: "de"}), [`Fragen:\n${list}`])
      assert.deepEqual(await bot.say("/faq meeting"), ["When do we meet?\nOn Mondays."])
      assert.deepEqual(await bot.say("/faq do"), [`Which question do you mean?\n${list}`])
      assert.deepEqual(await bot.say("/faq cheese"), [
        "No question has these words. The command /faq lists all questions.",
      ])
      assert.deepEqual(await bot.say("/faq Käse", {user: "jan", language: "de"}), [
        "Keine Frage enthält diese Wörter. Der Befehl /faq zeigt alle Fragen.",
      ])
    }),
  ))

test("lists twenty questions of many", () =>
  withFile(Array.from({length: 22}, (_, n) => `## Question ${n}\nYes.\n`).join("\n"), ({path}) =>
    plugin.test(faq, {config: {file: path}}, async bot => {
      const [list = ""] = await bot.say("/faq")
      assert.equal(list.split("\n").at(-2), "- Question 19")
      assert.equal(list.split("\n").at(-1), "… and 2 more questions. Write a word after /faq to find one.")
    }),
  ))

test("reads a changed file, and keeps the last good content of a bad one", () =>
  withFile(questions, ({path, write}) => {
    const lines: string[] = []
    const options = {
      config: {file: path},
      users: {ada: "trusted"},
      log: (line: unknown) => lines.push(String(line)),
    } as const
    return plugin.test(faq, options, async bot => {
      write("## Why?\nBecause.\n")
      assert.deepEqual(await bot.say("/faq"), ["Questions:\n- Why?"])
      write("# Nothing\n\n## Why?\n\n## Who?\nWe.\n")
      assert.deepEqual(await bot.say("/faq"), ["Questions:\n- Why?"])
      const problem = `${path}:3: "Why?" has no answer`
      assert.deepEqual(await bot.say("/faq", {user: "ada"}), [
        `Questions:\n- Why?\nThe file has an error, so its last good content is in use. ${problem}`,
      ])
      assert.equal(
        lines.filter(line => line.includes('faq.md:3: "Why?" has no answer')).length >= 1,
        true,
        lines.join("\n"),
      )
      rmSync(path)
      const [, missing] = (await bot.say("/faq", {user: "ada"}))[0]?.split("in use. ") ?? []
      assert.equal(missing, `${path}: there is no such file`)
      assert.deepEqual(await bot.say("/faq why"), ["Why?\nBecause."])
      write("## Who?\nWe.\n")
      assert.deepEqual(await bot.say("/faq", {user: "ada"}), ["Questions:\n- Who?"])
    })
  }))

test("names the line of each error in the file", () =>
  withFile("", ({path, write}) =>
    plugin.test(faq, {config: {file: path}, users: {ada: "trusted"}}, async bot => {
      assert.deepEqual(await bot.say("/faq"), ["There are no questions yet."])
      const fails = async (text: string, problem: string) => {
        write(text)
        const [answer = ""] = await bot.say("/faq", {user: "ada"})
        assert.ok(answer.endsWith(problem), answer)
      }
      await fails("## \nYes.", ":1: a question has 1 to 200 characters")
      await fails(`\n## ${"?".repeat(201)}\nYes.`, ":2: a question has 1 to 200 characters")
      await fails("## Why?\nAlso: so, ,\nYes.", ":2: a phrase after Also: has no words")
      await fails("## Why?\nYes.\n## why?\nNo.", ':3: "why?" is there twice')
      await fails(`## Why?\n${"x".repeat(8001)}`, ':1: the answer to "Why?" has more than 8000 characters')
      const many = Array.from({length: 1001}, (_, n) => `## ${n}\nYes.`)
      await fails(many.join("\n"), ":2001: a file has at most 1000 questions")
      await fails("x".repeat(1_000_001), ":1: the file has more than 1000000 bytes")
    }),
  ))

test("refuses a configuration that makes no sense", async () => {
  await assert.rejects(
    plugin.test(faq, {config: {share: 2}}, () => {}),
    /configuration has an error/,
  )
})
