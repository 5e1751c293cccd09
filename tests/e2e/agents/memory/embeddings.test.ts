import {describe, expect, test} from "vitest"
import {startEmbeddingServer, uselessAnswers} from "../../../support/agents/embedding-server.ts"
import {readRows, runsOf} from "../../../support/agents/host.ts"
import {askIn, memoriesIn, memoryConfig, noting} from "../../../support/agents/memory.ts"
import {startScriptedModel} from "../../../support/agents/scripted-model.ts"
import {bunOr, makeProject, type Project, startHost, type TestHost, tell, until} from "../../../support/host/host.ts"

const configOf = (model: string, embedding: string, name = "words") =>
  memoryConfig(model).replace(
    "channel: 30d,",
    `channel: 30d, embedding: {provider: openai-compatible, model: ${name}, baseURL: "${embedding}"},`,
  )

const dog = "Rex the beagle sleeps a lot"
const question = "What does my pet do?"

/** Notes more facts than a run reads: only a search finds the first. */
const noteMany = async (host: TestHost) => {
  await askIn(host, "ada", `note user: ${dog}`)
  for (let n = 0; n < 13; n++) await askIn(host, "ada", `note user: Number ${n} is blue`)
}

const start = async (project?: Project) => {
  const embedding = await startEmbeddingServer()
  const model = await startScriptedModel(noting)
  const config = configOf(model.url, embedding.url)
  const host = await startHost(project === undefined ? {config} : {project})
  const seen = async (text = question) => {
    await askIn(host, "ada", text)
    return memoriesIn(model.requests.at(-1)).join("\n")
  }
  return {embedding, model, host, seen}
}

const vectors =
  "SELECT v.source, length(v.vector) AS n, count(*) AS all_of FROM agent_vectors v JOIN agent_memories m ON m.seq = v.memory GROUP BY 1, 2"

describe("memories with vectors", () => {
  test("are found by a question without a word of them, and go with their memory", async () => {
    const {embedding, host, seen} = await start()
    await noteMany(host)
    await until("all texts to be embedded", async () => embedding.texts().includes("Number 12 is blue"))
    await until("the memory to be found", async () => (await seen()).includes(dog))
    await askIn(host, "ada", "forget: Rex")
    expect(await seen()).not.toContain("Rex")
    await host.stop()
    expect(await readRows(host.project, vectors)).toEqual([{source: "openai-compatible/words", n: 1536, all_of: 13}])
    expect(await readRows(host.project, "SELECT count(*) AS n FROM agent_vectors")).toEqual([{n: 13}])
    const spent =
      "SELECT sum(tokens) AS day, (SELECT sum(tokens) FROM agent_runs) AS runs FROM agent_spending WHERE subject = ''"
    const [tokens] = await readRows(host.project, spent)
    expect(Number(tokens?.day) - Number(tokens?.runs)).toBe(5 * embedding.texts().length)
    expect(embedding.texts().filter(text => text === dog)).toHaveLength(1)
  })

  test.each(Object.entries(uselessAnswers))("are found by words when the server %s", async (name, answer) => {
    const {embedding, host, seen} = await start()
    embedding.follow(answer)
    await noteMany(host)
    expect(await seen("sleeps?")).toContain(dog)
    expect(await seen()).not.toContain(dog)
    // Most questions do not wait for the server: it rests after a failure.
    if (name !== "answers another dimension") expect(embedding.requests.length).toBeLessThan(10)
  })

  test("are found by meaning once the server is back", async () => {
    const {embedding, host, seen} = await start()
    embedding.follow(uselessAnswers["answers 500"])
    await noteMany(host)
    expect(await seen()).not.toContain(dog)
    embedding.follow()
    await until("the memory to be found", async () => (await seen()).includes(dog))
  })

  test("get new ones after a restart with another model", async () => {
    const {embedding, model, host, seen} = await start()
    await noteMany(host)
    await until("all texts to be embedded", async () => embedding.texts().includes("Number 12 is blue"))
    await seen()
    await host.stop()
    host.project.write("svc.config.yml", configOf(model.url, embedding.url, "other"))
    const again = await startHost({project: host.project})
    await until("all to be embedded again", async () => embedding.texts().filter(text => text === dog).length === 2)
    await again.stop()
    expect(await readRows(host.project, vectors)).toEqual([{source: "openai-compatible/other", n: 1536, all_of: 14}])
  })
})

describe.each(bunOr("node24"))("on $name", runtime => {
  test("kill -9 leaves no memory without its vector", async () => {
    const embedding = await startEmbeddingServer()
    const model = await startScriptedModel(noting)
    const project = makeProject({config: configOf(model.url, embedding.url)})
    for (let life = 0; life < 5; life++) {
      const host = await startHost({own: true, runtime, project})
      for (let n = 0; n < 8; n++)
        await tell(host, {user: `u${life}-${n}`, channel: `@u${life}-${n}`, text: `note user: fact ${life} of ${n}`})
      await until("the runs to be stored", async () => (await runsOf(host)).length === 8 * (life + 1))
      await host.stop("SIGKILL")
    }
    const host = await startHost({own: true, runtime, project})
    const facts = () => new Set(embedding.texts().filter(text => text.startsWith("fact "))).size
    await until("all facts to be embedded", async () => facts() === 40)
    await host.stop()
    expect(await readRows(project, vectors)).toEqual([{source: "openai-compatible/words", n: 1536, all_of: 40}])
  }, 120_000)
})
