import {describe, expect, onTestFinished, test} from "vitest"
import {Endpoint} from "../../../server/endpoints/endpoint.ts"
import {Endpoints} from "../../../server/endpoints/endpoints.ts"
import {readEndpoints} from "../../../server/endpoints/part/metrics.ts"
import type {Past} from "../../../server/endpoints/pasts.ts"
import type {EndpointSpec} from "../../../server/endpoints/spec.ts"
import type {Endpoint as Handle} from "../../../shared/sdk/adapter/adapter.ts"
import {refused} from "../../../shared/sdk/adapter/refusal.ts"
import {until} from "../../support/host/process.ts"
import {lineSpec, stored} from "../../support/messages/line-endpoint.ts"

const sender = {send: async () => ({ids: []})}
const never = new Promise<never>(() => {})
const event = {id: "1", type: "message-created"}

const specOf = (open: EndpointSpec["open"], more: Partial<EndpointSpec> = {}): EndpointSpec =>
  lineSpec({name: "line~one", fingerprint: "1", account: "a1b2", open, ...more})

const make = (open: EndpointSpec["open"], past: Past = {}) => {
  const received: string[] = []
  let online = 0
  const endpoint = new Endpoint(specOf(open), {
    receive: async (_, events) =>
      events.map(({id}) => {
        received.push(id)
        return stored(received.length)
      }),
    online: () => {
      online++
    },
    past: () => past,
  })
  onTestFinished(() => endpoint.close())
  endpoint.open()
  const is = (state: string) => until(`the endpoint to be ${state}`, () => endpoint.state.is === state)
  return {endpoint, received, is, timesOnline: () => online}
}

const attempts = () => {
  const handles: Handle[] = []
  const undone: number[] = []
  const open = async (handle: Handle) => {
    const attempt = handles.push(handle)
    handle.defer(() => undone.push(attempt))
    return sender
  }
  return {handles, undone, open}
}

test("an endpoint names the places that it cannot read until it can, or the connection ends", async () => {
  const {handles, open} = attempts()
  const {endpoint, is} = make(open)
  await is("online")
  const reason = {why: "it is encrypted", remediation: "Use another room."}
  for (const place of ["#a", "#b", "#a"]) handles[0]?.unreadable(place, reason)
  expect([...endpoint.unreadable]).toEqual([
    ["#a", reason],
    ["#b", reason],
  ])
  handles[0]?.unreadable("#a")
  expect([...endpoint.unreadable.keys()]).toEqual(["#b"])
  handles[0]?.lost(new Error("gone"))
  await is("reconnecting")
  handles[0]?.unreadable("#late", reason)
  expect(endpoint.unreadable.size).toBe(0)
})

describe("an endpoint", () => {
  test("is connecting, then online with a sender, with open admission all the time", async () => {
    let connected: (value: typeof sender) => void = () => {}
    const {endpoint, is, timesOnline} = make(() => new Promise(resolve => (connected = resolve)))
    expect(endpoint.state).toMatchObject({is: "connecting", attempt: 1})
    expect(endpoint.admission).toEqual({is: "open"})
    expect([endpoint.opened, endpoint.sender]).toEqual([undefined, undefined])
    connected(sender)
    await is("online")
    expect(endpoint.opened).toBe(sender)
    expect(timesOnline()).toBe(1)
  })

  test.each([undefined, null, {}, {send: "no"}, "sent"])("fails if open resolves to %j", async opened => {
    const {endpoint, is} = make(async () => opened as never)
    await is("failed")
    expect(endpoint.state).toMatchObject({reason: "sender", remediation: expect.stringContaining("{send, …}")})
  })

  test.each([undefined, {}, {platform: 5}, {platform: "line", user: 7}, {platform: "line", user: {id: ""}}])(
    "fails if its login is %j",
    async login => {
      const {endpoint, is} = make(async handle => {
        handle.login(login as never)
        return sender
      })
      await is("failed")
      expect(endpoint.state).toMatchObject({reason: "login", error: expect.stringContaining("platform")})
    },
  )

  test("accepts no cursor that storing would change", async () => {
    const {handles, open} = attempts()
    const {is} = make(open)
    await is("online")
    await expect(handles[0]?.receive([], {cursor: "c\ud800"})).rejects.toMatchObject({code: "event_invalid"})
  })

  test("counts what its adapter does not know, over all attempts", async () => {
    const {handles, open} = attempts()
    const {endpoint, is} = make(open)
    await is("online")
    handles[0]?.unknown("a new event")
    handles[0]?.lost(new Error("cut"))
    await until("another attempt", () => handles.length === 2)
    handles[1]?.unknown("x".repeat(10_000))
    const labels = {endpoint: "line~one", owner: endpoint.spec.owner}
    expect(readEndpoints([endpoint]).svc_endpoint_unknown_total).toEqual([{labels, value: 2}])
  })

  test("reports each state with its start, but its stopped admission without one", async () => {
    const told: unknown[] = []
    const endpoint = new Endpoint(
      specOf(async () => sender),
      {
        receive: async () => [stored(1)],
        online: () => {},
        changed: ({state}, at) => told.push([state.is, at === undefined ? undefined : at - state.since]),
      },
    )
    endpoint.open()
    await until("the endpoint to be online", () => endpoint.state.is === "online")
    endpoint.stopAdmission()
    await endpoint.close()
    expect(told).toEqual([
      ["connecting", 0],
      ["online", 0],
      ["online", undefined],
      ["offline", 0],
    ])
  })

  test("that is lost is cleaned up, and reconnects after a pause", async () => {
    const {handles, undone, open} = attempts()
    const {endpoint, is, timesOnline} = make(open)
    await is("online")
    handles[0]?.lost(new Error("connection reset"))
    await is("reconnecting")
    expect(endpoint.state).toMatchObject({attempt: 2, error: "connection reset"})
    expect(endpoint.admission).toEqual({is: "open"})
    expect([endpoint.opened, endpoint.sender]).toEqual([undefined, undefined])
    expect(undone).toEqual([1])
    expect(handles[0]?.signal.aborted).toBe(true)
    await is("online")
    expect(timesOnline()).toBe(2)
    expect(handles).toHaveLength(2)
  })

  test("that cannot connect retries, and counts", async () => {
    let count = 0
    const {endpoint, is} = make(async () => {
      if (++count < 3) throw new Error(`no route ${count}`)
      return sender
    })
    await is("reconnecting")
    expect(endpoint.state).toMatchObject({attempt: 2, error: "no route 1"})
    await until("the second failure", () => endpoint.state.is === "reconnecting" && endpoint.state.attempt === 3)
    await is("online")
    expect(count).toBe(3)
  })

  const refusal = refused("wrong password", {reason: "bad_credentials", remediation: "Correct the password."})

  test("that is refused before it was ever online with its account fails without a retry", async () => {
    let count = 0
    const refuse = async () => {
      count++
      throw refusal
    }
    const {endpoint, is} = make(refuse, {account: "a1b3"})
    await is("failed")
    expect(endpoint.state).toMatchObject({
      reason: "bad_credentials",
      error: "wrong password",
      remediation: "Correct the password.",
    })
    expect(endpoint.admission).toEqual({is: "closed", reason: "endpoint_failed"})
    await endpoint.close()
    expect(endpoint.state.is).toBe("failed")
    expect(count).toBe(1)
    await make(refuse, {account: "a1b"}).is("reconnecting")
  })

  test("that is refused after it was online says why and when it retries, and since when it was not connected", async () => {
    const {handles, open} = attempts()
    const {endpoint, is} = make(open, {awaySince: 1000})
    await is("online")
    handles[0]?.lost(refusal)
    await is("reconnecting")
    const {since} = endpoint.state
    expect(endpoint.state).toMatchObject({attempt: 2, error: "wrong password", reason: "bad_credentials"})
    expect(endpoint.state).toMatchObject({
      remediation: "Correct the password.",
      retryAt: expect.closeTo(since + 63e3, -4),
    })
    expect([endpoint.past.awaySince, endpoint.admission]).toEqual([1000, {is: "open"}])
  })

  test("without an account is idle, and closed to events", async () => {
    const {endpoint} = make(undefined)
    expect(endpoint.state).toMatchObject({is: "idle", reason: "no_account"})
    expect(endpoint.admission).toEqual({is: "closed", reason: "no_account"})
    await endpoint.close()
  })

  test.each<[string, EndpointSpec["open"]]>([
    ["an attempt that does not end", () => never],
    ["a pause", () => Promise.reject(new Error("no"))],
    ["a connection", async () => sender],
  ])("closes at once in the middle of %s", async (_, open) => {
    const {endpoint} = make(open)
    await new Promise(turn => setTimeout(turn, 10))
    await endpoint.close()
    expect(endpoint.state).toMatchObject({is: "offline", reason: "closed"})
    expect(endpoint.admission).toEqual({is: "closed", reason: "endpoint_closed"})
  })

  test("admits events until its admission is stopped, its attempt ends or it is closed", async () => {
    const {handles, open} = attempts()
    const {endpoint, is, received} = make(open)
    await is("online")
    expect(await handles[0]?.receive(event)).toEqual(stored(1))
    expect(endpoint.past.lastEventAt).toBeGreaterThan(0)
    handles[0]?.lost(new Error("gone"))
    await is("reconnecting")
    await expect(handles[0]?.receive(event)).rejects.toMatchObject({code: "admission_closed"})
    await is("online")
    await handles[1]?.receive({...event, id: "2"})
    endpoint.stopAdmission()
    expect(endpoint.opened).toBe(sender)
    await expect(handles[1]?.receive(event)).rejects.toThrow(/^line~one .*: endpoint_closed$/)
    expect(received).toEqual(["1", "2"])
  })

  test("releases what an adapter acquires after its attempt has ended", async () => {
    const {handles, undone, open} = attempts()
    const {endpoint, is} = make(open)
    await is("online")
    await endpoint.close()
    handles[0]?.defer(() => undone.push(7))
    expect(undone).toEqual([1, 7])
  })
})

describe("all endpoints", () => {
  const setup = () => {
    const lines: string[] = []
    const endpoints = new Endpoints({receive: async () => [stored(1)], online: () => {}})
    onTestFinished(() => endpoints.close())
    const spec = (name: string, fingerprint: string, closing: () => unknown = () => {}) =>
      specOf(
        async handle => {
          lines.push(`open ${name} ${fingerprint}`)
          handle.defer(async () => {
            await closing()
            lines.push(`close ${name} ${fingerprint}`)
          })
          return sender
        },
        {name, fingerprint},
      )
    const settled = () =>
      until("all endpoints to be online", () => endpoints.list().every(({state}) => state.is === "online"))
    return {endpoints, lines, spec, settled}
  }

  test("open when they are started, and not before", async () => {
    const {endpoints, lines, spec, settled} = setup()
    await endpoints.apply([spec("a", "1")])
    expect(lines).toEqual([])
    expect(endpoints.get("a")?.admission).toEqual({is: "closed", reason: "not_opened"})
    endpoints.start()
    await settled()
    expect(lines).toEqual(["open a 1"])
  })

  test("without a change stay as they are; a changed one opens once the old one is closed", async () => {
    const {endpoints, lines, spec, settled} = setup()
    let letGo: () => void = () => {}
    const slow = () => new Promise<void>(resolve => (letGo = resolve))
    await endpoints.apply([spec("a", "1"), spec("b", "1", slow), spec("c", "1")])
    endpoints.start()
    await settled()
    const [a] = endpoints.list()
    const changed = endpoints.apply([spec("a", "1"), spec("b", "2"), spec("d", "1")])
    await until("c to close", () => lines.includes("close c 1"))
    expect(lines).not.toContain("open b 2")
    letGo()
    await changed
    await settled()
    expect(endpoints.get("a")).toBe(a)
    expect(lines.slice(3)).toEqual(["close c 1", "close b 1", "open b 2", "open d 1"])
  })

  test("that have failed get another attempt with the next generation", async () => {
    const {endpoints, settled} = setup()
    let isRefused = true
    const spec = specOf(async () => {
      if (isRefused) throw refused("no", {reason: "bad_credentials", remediation: "Correct it."})
      return sender
    })
    await endpoints.apply([spec])
    endpoints.start()
    await until("the refusal", () => endpoints.get("line~one")?.state.is === "failed")
    isRefused = false
    await endpoints.apply([spec])
    await settled()
    expect(endpoints.list()).toHaveLength(1)
  })

  test("that wait after a refusal connect at once with the next generation", async () => {
    const {endpoints, settled} = setup()
    let handle: Handle | undefined
    const spec = specOf(async given => {
      handle = given
      return sender
    })
    await endpoints.apply([spec])
    endpoints.start()
    await settled()
    handle?.lost(refused("no", {reason: "bad_credentials", remediation: "Correct it."}))
    await until("the refusal", () => endpoints.get("line~one")?.state.is === "reconnecting")
    const present = endpoints.get("line~one")
    await endpoints.apply([{...spec}])
    await settled()
    expect(endpoints.get("line~one")).toBe(present)
  })

  test("of a generation that was already replaced do not open", async () => {
    const {endpoints, lines, spec, settled} = setup()
    await endpoints.apply([])
    endpoints.start()
    await Promise.all([endpoints.apply([spec("a", "1")]), endpoints.apply([spec("a", "2")])])
    await settled()
    expect(lines).toEqual(["open a 2"])
  })
})
