import {describe, expect, test} from "vitest"
import {createLogs, type LogOptions} from "../../server/logs/log.ts"
import {Problem} from "../../shared/problems.ts"

const collect = (options: Partial<LogOptions> = {}) => {
  const lines: string[] = []
  const logs = createLogs({
    level: "debug",
    format: "json",
    colors: false,
    write: line => lines.push(line.trimEnd()),
    ...options,
  })
  return {...logs, lines}
}

describe("the log", () => {
  test("is one JSON object a line, with what is bound to every record", () => {
    const {log, bind, lines} = collect()
    bind({project: "bot", runtimeId: "r"})
    log.with({plugin: "greeter"}).info("hello\nworld", {n: 1})
    expect(lines).toHaveLength(1)
    const record = JSON.parse(lines[0] ?? "")
    expect(record).toMatchObject({level: "info", message: "hello\nworld", project: "bot", runtimeId: "r", n: 1})
    expect(record.plugin).toBe("greeter")
    expect(Number.isNaN(Date.parse(record.time))).toBe(false)
  })

  test("says nothing below its level, which can change while it runs", () => {
    const {log, setLevel, lines} = collect({level: "warn"})
    log.info("not said")
    setLevel("info")
    log.info("said")
    expect(lines.map(line => JSON.parse(line).message)).toEqual(["said"])
  })

  test("a secret is in no record: not in the message, a field, an error or its cause, nor encoded", () => {
    const {log, hide, recent, lines} = collect()
    const secret = 'pass"word/with?signs'
    hide([secret])
    log.error(`it was ${secret}`, {
      header: `Bearer ${secret}`,
      url: `https://host/?token=${encodeURIComponent(secret)}`,
      basic: Buffer.from(secret).toString("base64"),
      error: new Error(secret, {cause: new Error(`why ${secret}`)}),
    })
    for (const text of [lines.join("\n"), JSON.stringify(recent())]) {
      expect(text).toContain("[secret]")
      expect(text).not.toContain("with?signs")
      expect(text).not.toContain("with%3Fsigns")
      expect(text).not.toContain(Buffer.from(secret).toString("base64").replace(/=+$/, ""))
    }
  })

  test("an error keeps its name, code, stack and causes", () => {
    const {log, lines} = collect()
    log.error("failed", {error: new Problem("conflict", "both want it", {cause: new TypeError("inner")})})
    expect(JSON.parse(lines[0] ?? "").error).toMatchObject({
      name: "Problem",
      code: "conflict",
      message: "both want it",
      cause: {name: "TypeError", message: "inner"},
    })
  })

  test("a field that is no JSON costs no record", () => {
    const {log, lines} = collect()
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const refusing = {
      toJSON: () => {
        throw new Error("no")
      },
    }
    log.info("one", {circular})
    log.info("two", {nested: {big: 1n}})
    log.info("three", {refusing})
    log.info("four", {map: new Map([["a", 1]]), when: new Date(0), symbol: Symbol("s"), nothing: undefined})
    expect(lines.map(line => JSON.parse(line).message)).toEqual(["one", "two", "three", "four"])
  })

  test("on a terminal a message cannot forge a line or move the cursor", () => {
    const {log, lines} = collect({format: "pretty"})
    log.info("first\n12:00:00 error forged\u001b[2J", {text: "a\nb"})
    expect(lines).toHaveLength(1)
    expect(lines[0]?.split("\n").slice(1)).toEqual(["         12:00:00 error forged\\x1b[2J text=a", "         b"])
    expect(lines[0]).not.toContain("\u001b")
  })

  test("the newest thousand records stay readable, oldest first", () => {
    const {log, recent} = collect()
    for (let n = 0; n < 1005; n++) log.info(`record ${n}`)
    const messages = recent().map(({message}) => message)
    expect(messages).toHaveLength(1000)
    expect([messages[0], messages.at(-1)]).toEqual(["record 5", "record 1004"])
  })
})
