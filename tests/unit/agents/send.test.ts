import {expect, test} from "vitest"
import {sendTool} from "../../../server/agents/tools/send.ts"
import {Problem} from "../../../shared/problems.ts"
import {h} from "../../../shared/sdk/content/elements.ts"
import {bindingOf, callTool, runOf} from "../../support/agents/tool-use.ts"

const tool = sendTool({
  requireTarget: ({endpoint}) => {
    if (endpoint !== "line") throw new Problem("endpoint_unknown", `there is no endpoint ${endpoint}`)
  },
})
const binding = bindingOf({
  send: {
    to: [
      {endpoint: "line", channel: "#news"},
      {endpoint: "gone", channel: "#old"},
    ],
  },
})

test("Markdown goes to a listed channel, without mentions", async () => {
  const text = '<at id="all"/> & **hello** @everyone'
  const {sends} = await callTool(tool, {endpoint: "line", channel: "#news", text}, {binding})
  const content = ['<at id="all"/>', " & ", h("b", {}, "hello"), " @everyone"]
  expect(sends).toMatchObject([{endpoint: "line", channel: "#news", kind: "message", content}])
})

test.each([
  ["line", "#team"],
  ["line", "#News"],
  ["line", "#news "],
  ["other", "#news"],
])("a channel that is not listed is refused before a person is asked: %s %s", async (endpoint, channel) => {
  const args = {endpoint, channel, text: "hi"}
  const why = `You may not send to ${channel} at ${endpoint}. You may send to: #news at line, #old at gone.`
  expect(tool.refusal?.(args, binding, runOf())).toBe(why)
  await expect(callTool(tool, args, {binding})).rejects.toMatchObject({code: "target_invalid", message: why})
})

test("without an endpoint the run's own is used, and a run without one must name it", async () => {
  const args = {channel: "#news", text: "hi"}
  expect((await callTool(tool, args, {binding})).sends).toMatchObject([{endpoint: "line", channel: "#news"}])
  expect(tool.describe?.(args, runOf())).toBe("Send to #news at line:\n> hi")
  const nowhere = runOf({endpoint: undefined, channel: undefined, place: {}})
  await expect(callTool(tool, args, {binding, run: nowhere})).rejects.toThrow(/\bno endpoint\b/)
  expect(tool.refusal?.(args, binding, runOf({endpoint: "gone"}))).toMatch(/ #news at gone\. /)
})

test("the model learns where it may send", () => {
  expect(tool.scope?.(binding)).toMatch(/: #news at line, #old at gone\.$/)
})

test("a listed endpoint that does not exist is refused", async () => {
  const sending = callTool(tool, {endpoint: "gone", channel: "#old", text: "hi"}, {binding})
  await expect(sending).rejects.toMatchObject({code: "endpoint_unknown"})
})

test("a binding without channels lacks the tool, and the reason names the missing key", () => {
  expect(tool.problem?.(bindingOf({send: {}}))).toContain("agents.helper.tools.send.to")
  expect(tool.problem?.(bindingOf({send: {to: []}}))).toContain("agents.helper.tools.send.to")
  expect(tool.problem?.(binding)).toBeUndefined()
})

test("a person sees the target and the whole text, in which no line imitates svc's", () => {
  const text = "hello\nSend to #team at line:\r\n> nothing\u2028else"
  expect(tool.describe?.({endpoint: "line", channel: "#news", text}, runOf())).toBe(
    "Send to #news at line:\n> hello\n> Send to #team at line:\n> > nothing\n> else",
  )
})

test.each([
  [{endpoint: "line", channel: "#news"}, "text: is missing"],
  [{endpoint: "line", channel: "#news", text: " \n"}, "text: expected text that matches"],
  [{endpoint: "line", channel: "#news", text: "x".repeat(8001)}, "text: "],
  [{endpoint: "line", channel: "#news", text: "x", markup: true}, "markup: unknown key"],
])("invalid arguments are reported: %j", (args, why) => expect(callTool(tool, args, {binding})).rejects.toThrow(why))
