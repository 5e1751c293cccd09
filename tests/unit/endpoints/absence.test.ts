import {expect, onTestFinished, test} from "vitest"
import {Endpoint} from "../../../server/endpoints/endpoint.ts"
import {createReport} from "../../../server/http/readiness/report.ts"
import {isTooFull} from "../../../server/project/capacity/disk-watch.ts"
import type {Endpoint as Handle} from "../../../shared/sdk/adapter/adapter.ts"
import {until} from "../../support/host/process.ts"
import {lineSpec, stored} from "../../support/messages/line-endpoint.ts"

const online = async () => {
  let opened: Handle | undefined
  let isPaused = false
  const endpoint = new Endpoint(
    lineSpec({
      open: async handle => {
        opened = handle
        return {send: async () => ({ids: []})}
      },
    }),
    {receive: async () => [stored(1)], online: () => {}, isPaused: () => isPaused},
  )
  onTestFinished(() => endpoint.close())
  endpoint.open()
  const handle = await until("the endpoint to be online", () => endpoint.state.is === "online" && opened)
  const pause = (paused: boolean) => {
    isPaused = paused
  }
  return {endpoint, handle, pause}
}

test("while ingress is paused an endpoint refuses events with a time to wait, its admission still open", async () => {
  const {endpoint, handle, pause} = await online()
  pause(true)
  expect(endpoint.admission).toEqual({is: "closed", reason: "ingress_paused"})
  expect(endpoint.ownAdmission).toEqual({is: "open"})
  await expect(handle.receive({id: "1", type: "message-created"})).rejects.toMatchObject({
    code: "ingress_paused",
    status: 503,
    retryAfter: expect.any(Number),
  })
  pause(false)
  expect(endpoint.admission).toEqual({is: "open"})
  expect(await handle.receive({id: "1", type: "message-created"})).toEqual(stored(1))
})

test("a disk is too full below the minimum, until a tenth more is free; without one never", () => {
  expect(isTooFull(99, 100, false)).toBe(true)
  expect(isTooFull(100, 100, false)).toBe(false)
  expect(isTooFull(109, 100, true)).toBe(true)
  expect(isTooFull(110.1, 100, true)).toBe(false)
  expect(isTooFull(0, 0, false)).toBe(false)
  expect(isTooFull(0, 0, true)).toBe(false)
})

test("a report shows the pause, and is still ready", () => {
  const ingress = {state: "paused", reasons: ["disk" as const], since: "2026-01-02T03:04:05.000Z"} as const
  const report = createReport({
    now: 1000,
    startedAt: 0,
    authority: undefined,
    generation: {number: 1, committedAt: 0},
    failure: undefined,
    databaseInitialized: true,
    endpoints: [],
    plugins: {},
    agents: {},
    required: {database: true, endpoints: [], agents: []},
    ingress: {...ingress, reasons: [...ingress.reasons]},
  })
  expect(report).toMatchObject({ready: true, ingress})
})
