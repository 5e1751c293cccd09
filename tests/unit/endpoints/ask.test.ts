import {expect, onTestFinished, test} from "vitest"
import {ask, askMethod} from "../../../server/endpoints/ask.ts"
import {Endpoint} from "../../../server/endpoints/endpoint.ts"
import {Endpoints} from "../../../server/endpoints/endpoints.ts"
import {TimeLimitExceeded} from "../../../server/runtime/flow/time-limit.ts"
import {refused, retryAfter} from "../../../shared/sdk/adapter/refusal.ts"
import type {Sender} from "../../../shared/sdk/adapter/sender.ts"
import {until} from "../../support/host/process.ts"
import {lineSpec} from "../../support/messages/line-endpoint.ts"

const endpointWith = async (call: NonNullable<Sender["call"]>) => {
  const endpoints = new Endpoints({receive: async () => [], online: () => {}})
  const open = async () => ({send: async () => ({ids: []}), call})
  await endpoints.apply([lineSpec({name: "line", fingerprint: "1", open})])
  endpoints.start()
  onTestFinished(() => endpoints.close())
  await until("the endpoint to be online", () => endpoints.get("line")?.state.is === "online")
  return endpoints.require("line")
}

test.each<[string, unknown, object]>([
  [
    "a refusal is refused",
    refused("no such message", {reason: "gone", remediation: "Pin another."}),
    {failure: "refused", message: "no such message"},
  ],
  ["a platform that asks to wait for long limits", retryAfter(60_000), {failure: "limited", retryAfter: 60}],
  ["no answer in time is unknown", new TimeLimitExceeded(10_000), {failure: "unknown"}],
  ["any other error is an outage", new Error("connection reset"), {failure: "unavailable", retryAfter: undefined}],
])("%s", async (_, error, expected) => {
  const endpoint = await endpointWith(async () => Promise.reject(error))
  await expect(askMethod(endpoint, "line/pin", {})).rejects.toMatchObject({code: "platform_failed", ...expected})
})

test("an endpoint without a connection is an outage", async () => {
  const offline = new Endpoint(lineSpec({}), {receive: async () => [], online: () => {}})
  await expect(ask(offline, async () => "")).rejects.toMatchObject({code: "endpoint_offline", failure: "unavailable"})
})
