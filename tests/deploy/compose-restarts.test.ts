import {afterAll, beforeAll, expect, test} from "vitest"
import {type ComposeEngine, restart, setToken, startComposeEngine} from "./support/containers/compose-engine.ts"
import {pluginNeed} from "./support/containers/compose-plugin.ts"
import type {Composition} from "./support/containers/composition.ts"
import {engineNeeds} from "./support/containers/dockerd.ts"
import {describePart} from "./support/part.ts"

describePart("compose: restarts, and Node", [...engineNeeds, pluginNeed], () => {
  let engine: ComposeEngine
  let onBun: Composition
  let onNode: Composition
  let nodeImage: Promise<string> | undefined

  const build = async (bot: Composition) => {
    await bot.must("svc deploy add compose")
    await bot.must("cp .env.example .env")
    await bot.must(setToken)
    return bot.must("docker compose build")
  }

  beforeAll(async () => {
    engine = await startComposeEngine({withNode: true})
    onBun = await engine.makeProject("my-bot", "bun")
    onNode = await engine.makeProject("node-bot", "node")
  })

  afterAll(() => engine?.close())

  test("survives eight restarts in a row from the console, each with exit code 51", async () => {
    await build(onBun)
    await onBun.must("docker compose up --detach --wait")
    // Docker waits longer before each restart, which leaves time to build the other image.
    nodeImage = build(onNode)
    nodeImage.catch(() => {})
    const since = Date.now()
    let runtimeId = await onBun.untilReady()
    for (let nth = 0; nth < 8; nth++) {
      // The command ends with the container, sometimes before it has printed its result.
      const {code} = await onBun.run(restart)
      expect([0, 137]).toContain(code)
      runtimeId = await onBun.untilReady(runtimeId)
    }
    expect(await onBun.exitCodes(since)).toEqual(Array.from({length: 8}, () => 51))
    await onBun.must("docker compose down --volumes")
  })

  test("on Node is built from npm's lockfile, becomes healthy as uid 1000, restarts on 51 and ends with 0", async () => {
    await (nodeImage ?? build(onNode))
    await onNode.must("docker compose up --detach --wait")
    const since = Date.now()
    const {stdout} = await onNode.inside("readlink /proc/1/exe; id -u; touch probe || echo refused")
    expect(stdout).toBe("/usr/local/bin/node\n1000\nrefused\n")
    expect(await onNode.must('echo "/greet Ada" | docker compose exec -T bot svc chat')).toContain("hello Ada")
    const before = await onNode.untilReady()
    await onNode.run(restart)
    await onNode.untilReady(before)
    await onNode.must("docker compose stop")
    expect(await onNode.exitCodes(since)).toEqual([51, 0])
  })
})
