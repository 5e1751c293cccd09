import {describe, expect, onTestFinished, test} from "vitest"
import {Endpoint} from "../../../server/endpoints/endpoint.ts"
import {builtIns} from "../../../server/host/plugins/built-in-plugins.ts"
import type {AdapterUnderTest} from "../../../server/testing/adapter/conformance.ts"
import {accountAt, originOf} from "../../../server/testing/adapter/passing.ts"
import {startRefusingProxy} from "../../../server/testing/adapter/refusing-proxy.ts"
import {discord} from "../../support/adapters/discord.ts"
import {matrix} from "../../support/adapters/matrix.ts"
import {onebot} from "../../support/adapters/onebot.ts"
import {satori, startServingHost} from "../../support/adapters/satori.ts"
import {slack} from "../../support/adapters/slack.ts"
import {telegram} from "../../support/adapters/telegram.ts"
import {publish} from "../../support/agents/plugin-tools.ts"
import {localDatabase, open, until} from "../../support/database/databases.ts"
import {whenOver} from "../../support/host/shared.ts"
import {stored} from "../../support/messages/line-endpoint.ts"
import {isDendriteThere, startDendrite} from "../../support/platforms/matrix/dendrite.ts"
import {HandClock} from "../../support/scheduler/hand-clock.ts"

const minute = 60_000

/** Those of the conformance suite that adapters treat differently. */
const faults = ["401", "403", "409", "500", "a login page"] as const

const putBehindProxy = async (adapter: AdapterUnderTest) => {
  const {name = "", env = {}, platform: start} = adapter
  const platform = await start(whenOver)
  const origin = originOf(platform)
  const definition = (await builtIns[name]?.())?.default
  if (origin === undefined || definition === undefined) throw new Error(`${name} has no address`)
  const proxy = await startRefusingProxy(origin)
  onTestFinished(() => proxy.close())
  const entry = {endpoints: [accountAt(platform, origin, proxy.port)]}
  const {snapshot} = await publish(await open(await localDatabase()), name, {definition, entry, variables: env})
  const [spec] = snapshot.endpoints
  if (spec === undefined) throw new Error(`${name} has no endpoint`)
  return {proxy, spec}
}

const served = async () => {
  const host = await startServingHost()
  return satori(() => host)
}

describe("an endpoint that is refused for 20 minutes from its first attempt on", () => {
  test.skipIf(!isDendriteThere()).each([
    ["discord", () => discord],
    ["matrix", async () => matrix(await startDendrite())],
    ["onebot by WebSocket", () => onebot("ws")],
    ["onebot by HTTP", () => onebot("http")],
    ["satori", served],
    ["slack", () => slack],
    ["telegram", () => telegram],
  ] as const)("is online again by itself: %s", async (_, adapter) => {
    const {proxy, spec} = await putBehindProxy(await adapter())
    for (const fault of faults) {
      const clock = new HandClock("2026-11-29T12:00:00Z")
      const pauses = {refused: [] as number[], other: [] as number[]}
      const endpoint: Endpoint = new Endpoint(spec, {
        clock,
        receive: async (_endpoint, events) => events.map((_event, index) => stored(index)),
        online: () => {},
        changed: ({state}) => {
          if (state.is === "reconnecting")
            pauses[state.reason === undefined ? "other" : "refused"].push(state.retryAt - state.since)
        },
      })
      onTestFinished(() => endpoint.close())
      const untilEither = (...states: readonly string[]) =>
        until(`an attempt to end: ${fault}`, () => clock.waiting > 0 || states.includes(endpoint.state.is))
      proxy.refuse(fault, true)
      endpoint.open()
      await untilEither("failed")
      await clock.passTo("2026-11-29T12:20:00Z", () => untilEither("failed"))
      expect([fault, endpoint.state]).toMatchObject([fault, {is: "reconnecting"}])
      expect(pauses.refused.length + pauses.other.length).toBeGreaterThan(4)
      expect(Math.min(...pauses.refused.slice(2))).toBeGreaterThanOrEqual(5 * minute)
      expect(Math.max(...pauses.other)).toBeLessThanOrEqual(minute / 2)
      proxy.recover()
      await clock.passTo("2026-11-29T12:26:00Z", () => untilEither("failed", "online"))
      expect([fault, endpoint.state]).toMatchObject([fault, {is: "online"}])
      await endpoint.close()
    }
  })
})
