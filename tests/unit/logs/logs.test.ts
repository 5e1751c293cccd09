import {stripVTControlCharacters} from "node:util"
import {describe, expect, onTestFinished, test, vi} from "vitest"
import {runAround} from "../../../server/runtime/flow/around.ts"
import {prettyFormat} from "../../../server/runtime/logs/format.ts"
import {createLogs, type LogOptions} from "../../../server/runtime/logs/log.ts"
import {readLog} from "../../../server/runtime/logs/page.ts"
import {Problem} from "../../../shared/problems.ts"

const collect = (options: Partial<LogOptions> = {}) => {
  const lines: string[] = []
  const logs = createLogs({
    level: "debug",
    format: "json",
    colors: false,
    write: line => lines.push(line.trimEnd()),
    ...options,
  })
  const page = (more: Partial<Parameters<typeof readLog>[2]> = {}) =>
    readLog(logs, "run", {filter: {level: "silly", plugin: undefined}, limit: 2000, ...more})
  return {...logs, lines, page, records: () => lines.map(line => JSON.parse(line) as Record<string, unknown>)}
}

const messagesOf = (page: {readonly items: readonly {readonly message: string}[]}) =>
  page.items.map(({message}) => message)

describe("the log", () => {
  test("writes one JSON object per line, with the bound fields in every record", () => {
    const {log, bind, lines, records} = collect()
    bind({project: "bot", runtimeId: "r"})
    log.with({plugin: "greeter"}).info("hello\nworld", {n: 1})
    expect(lines).toHaveLength(1)
    const [record] = records()
    expect(Object.keys(record ?? {})).toEqual(["time", "level", "message", "project", "runtimeId", "plugin", "n"])
    expect(record).toMatchObject({level: "info", message: "hello\nworld", project: "bot", runtimeId: "r", n: 1})
    expect(new Date(String(record?.time)).toISOString()).toBe(record?.time)
  })

  test("writes and counts nothing below its level, which can change at any time", () => {
    const {log, setLevel, records, written} = collect({level: "warn"})
    log.info("not said")
    setLevel("info")
    log.info("said")
    log.error("said too")
    expect(records().map(({message}) => message)).toEqual(["said", "said too"])
    expect(written).toEqual({silly: 0, trace: 0, debug: 0, info: 1, warn: 0, error: 1, fatal: 0})
  })

  test("a log from with() follows a later change of the level", () => {
    const {log, setLevel, records, written} = collect({level: "warn"})
    const own = log.with({plugin: "greeter"}).with({endpoint: "irc~a"})
    own.info("not said")
    setLevel("info")
    own.info("said")
    setLevel("fatal")
    own.error("not said")
    expect(records()).toEqual([expect.objectContaining({message: "said", plugin: "greeter", endpoint: "irc~a"})])
    expect(written).toMatchObject({info: 1, error: 0})
  })

  test("a call below the level does not touch its arguments", () => {
    const {log, lines} = collect({level: "warn"})
    const touched = vi.fn()
    const traps = Object.fromEntries(
      Object.getOwnPropertyNames(Reflect).map(trap => [trap, () => touched(trap)]),
    ) as ProxyHandler<() => string>
    const argument = new Proxy(() => "", traps)
    log.info(argument as never, argument as never)
    log.info(argument as never)
    expect(touched).not.toHaveBeenCalled()
    expect(lines).toEqual([])
  })

  test("keeps fields of with() by any name, and a function as message does not run", () => {
    const {log, records} = collect()
    const run = vi.fn(() => "run")
    log.with({message: "m", level: "l", known: "k", said: "s", _logMeta: "x", 7: "seven"}).info(run as never)
    expect(run).not.toHaveBeenCalled()
    expect(records()[0]).toEqual({
      time: expect.any(String),
      level: "info",
      message: "[function]",
      _message: "m",
      _level: "l",
      known: "k",
      said: "s",
      _logMeta: "x",
      7: "seven",
    })
  })

  test("does not let a caller replace the fields bound to it", () => {
    const {log, bind, records} = collect()
    bind({project: "bot", generation: 3})
    const forged = {time: "never", level: "fatal", message: "x", plugin: "other", project: "other", generation: 9}
    log
      .with({plugin: "greeter"})
      .with({plugin: "other", endpoint: "irc~a"})
      .info("hello", {...forged, own: 1})
    expect(records()[0]).toMatchObject({
      level: "info",
      message: "hello",
      plugin: "greeter",
      project: "bot",
      generation: 3,
      endpoint: "irc~a",
      own: 1,
      _level: "fatal",
      _plugin: "other",
    })
  })

  test("adds the context of a plugin's call, but not another plugin's", async () => {
    const {log, records} = collect()
    const greeter = log.with({plugin: "greeter"})
    const other = log.with({plugin: "other"})
    await runAround({plugin: "greeter", endpoint: "irc~a", event: 7}, async () => {
      await new Promise(resolve => setTimeout(resolve, 1))
      greeter.info("within")
      other.info("of another")
      log.info("of the Host")
    })
    greeter.info("outside")
    expect(records().map(({message, endpoint, event}) => ({message, endpoint, event}))).toEqual([
      {message: "within", endpoint: "irc~a", event: 7},
      {message: "of another"},
      {message: "of the Host"},
      {message: "outside"},
    ])
  })

  test("keeps an error's name, code, stack and causes", () => {
    const {log, records} = collect()
    log.error("failed", {error: new Problem("conflict", "both want it", {cause: new TypeError("inner")})})
    expect(records()[0]?.error).toMatchObject({
      name: "Problem",
      code: "conflict",
      message: "both want it",
      stack: expect.arrayContaining([expect.stringContaining("logs.test.ts")]),
      cause: {name: "TypeError", message: "inner"},
    })
  })

  test("lets no message on a terminal forge a line or move the cursor", () => {
    const {log, lines} = collect({format: "pretty"})
    log.info("first\n12:00:00 error forged\u001b[2J", {text: "a\nb"})
    expect(lines).toHaveLength(1)
    expect(lines[0]?.split("\n").slice(1)).toEqual(["         12:00:00 error forged\\u001b[2J text=a", "         b"])
    expect(lines[0]).not.toContain("\u001b")
  })
})

describe("a line for a terminal", () => {
  const record = {time: "2026-01-31T07:07:54.120Z", level: "warn", message: "100%s %% {{ss}}", plugin: "greeter"}
  const clock = new Date(record.time).toTimeString().slice(0, 8)

  test("has the local time, the level, the message as it is, and the fields", () => {
    expect(prettyFormat(false)(record)).toBe(`${clock} warn  100%s %% {{ss}} plugin=greeter`)
  })

  test("has the same text in colours", () => {
    const line = prettyFormat(true)(record)
    expect(line).toContain("\u001b[33mwarn ")
    expect(stripVTControlCharacters(line)).toBe(prettyFormat(false)(record))
  })

  test.each([true, false])("shows control characters in each part of another Host's record, colours: %s", inColor => {
    const bad = "\u001b[2J\u009b1A\rx\n12:00:00 error forged"
    const error = {message: bad, stack: [bad], cause: {message: bad}}
    const line = prettyFormat(inColor)({time: bad, level: bad, message: bad, [bad]: bad, list: [bad], error})
    const [first = "", ...more] = stripVTControlCharacters(line).split("\n")
    expect(first).toMatch(/^--:--:-- \\u001b\[2J/)
    expect(more.length).toBeGreaterThan(6)
    for (const each of more) expect(each).toMatch(/^ {9}/)
    expect(stripVTControlCharacters(line)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })
})

describe("any logged value keeps its record, within a size limit", () => {
  const circular: Record<string, unknown> = {name: "c"}
  circular.self = {inner: [circular]}
  const throwing = {
    get bad(): string {
      throw new Error("no getter")
    },
    good: 1,
  }
  const hostile = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error("no keys")
      },
      getPrototypeOf: () => {
        throw new Error("no prototype")
      },
    },
  )
  const selfCaused = new Error("a")
  selfCaused.cause = selfCaused
  const chain = Array.from({length: 40}).reduce<Error>(
    (cause, _, index) => new Error(`${index} ${"x".repeat(50_000)}`, {cause}),
    new Error("innermost"),
  )
  const wide = Object.fromEntries(Array.from({length: 5000}, (_, index) => [`key${index}`, "v".repeat(50)]))
  const deep = Array.from({length: 5000}).reduce<object>(inner => ({inner}), {})
  const noMessage = new Error("x")
  Object.defineProperty(noMessage, "message", {
    get: () => {
      throw new Error("no message")
    },
  })

  test.each<readonly [name: string, value: unknown, shown: unknown]>([
    ["a circle", circular, {name: "c", self: {inner: ["[circular]"]}}],
    ["a getter that throws", throwing, {bad: "[unreadable: no getter]", good: 1}],
    ["a proxy that refuses everything", hostile, expect.stringMatching(/unreadable: no (keys|prototype)/)],
    ["a BigInt", {n: 12n}, {n: "12"}],
    ["Headers", new Headers({accept: "x", authorization: "Basic abc"}), {accept: "x", authorization: "[secret]"}],
    ["a Map and a Set", [new Map([["a", 1]]), new Set([2])], [{a: 1}, [2]]],
    ["bytes", new Uint8Array(3), "[3 bytes]"],
    ["an invalid Date", new Date(Number.NaN), "Invalid Date"],
    ["numbers that JSON lacks", [Number.NaN, Number.POSITIVE_INFINITY, -0], ["NaN", "Infinity", 0]],
    ["a function and a symbol", [() => {}, Symbol("s")], ["[function]", "Symbol(s)"]],
    ["a toJSON that throws", {toJSON: () => JSON.parse("no")}, expect.stringContaining("[unreadable: ")],
    ["an object without a prototype", Object.assign(Object.create(null), {a: 1}), {a: 1}],
    [
      "__proto__ as a key",
      JSON.parse('{"__proto__": {"polluted": true}}'),
      JSON.parse('{"__proto__": {"polluted": true}}'),
    ],
    ["an error that is its own cause", selfCaused, expect.objectContaining({message: "a", cause: "[circular]"})],
    ["an error whose message throws", noMessage, "[unreadable: no message]"],
    [
      "errors within one",
      new AggregateError([new Error("one")], "all"),
      expect.objectContaining({errors: [expect.objectContaining({message: "one"})]}),
    ],
    ["a long list", Array.from({length: 300}, () => 1), [...Array.from({length: 100}, () => 1), "[200 more]"]],
  ])("%s", (_, value, shown) => {
    const {log, records} = collect()
    log.info("kept", {value})
    expect(records()).toHaveLength(1)
    expect(records()[0]?.value).toEqual(shown)
  })

  test.each<readonly [name: string, value: unknown]>([
    ["a string of a megabyte", "y".repeat(1024 * 1024)],
    ["a hundred of them", Array.from({length: 100}, () => "y".repeat(1024 * 1024))],
    ["forty causes of 50 KB", chain],
    ["an object of 5,000 keys", wide],
    ["an object 5,000 deep", deep],
    ["a string of escapes", "\u0000".repeat(100_000)],
  ])("%s makes a bounded record", (_, value) => {
    for (const format of ["json", "pretty"] as const) {
      const {log, lines} = collect({format})
      log.info("kept", {value, error: value})
      log.info(value as string)
      expect(lines).toHaveLength(2)
      for (const line of lines) expect(line.length).toBeLessThan(512 * 1024)
    }
  })

  test.each<readonly [name: string, error: unknown, below: readonly string[]]>([
    ["issues that are not a list", {issues: 5}, []],
    ["a stack that is a text", {stack: "at one\nat two"}, []],
    ["frames and issues that are not texts", {issues: [{a: 1}], stack: [7, "at here"]}, ["at here"]],
    ["a cause whose message is not text", {cause: {message: {toString: 1}}}, ['caused by: {"toString":1}']],
    ["a list", [1], []],
    ["a text", "why", ["why"]],
  ])("on a terminal an invalid error is still printed: %s", (_, error, below) => {
    const {log, lines} = collect({format: "pretty"})
    log.info("kept", {error})
    expect(lines[0]?.split("\n").map(line => line.trim())).toEqual([expect.stringContaining(" info  kept"), ...below])
  })

  test("a lone surrogate makes a line that is UTF-8 and JSON", () => {
    const {log, lines} = collect()
    log.info("a\ud800b", {value: "\udc00"})
    expect(JSON.parse(Buffer.from(lines[0] ?? "").toString("utf8"))).toMatchObject({
      message: "a\ud800b",
      value: "\udc00",
    })
  })

  test("fields that are not an object, and a message that is not text, are logged", () => {
    const {log, records} = collect()
    log.info("null", null as never)
    log.info("text", "text" as never)
    log.info(undefined as never)
    log.info({a: 1} as never)
    log.info(new Error("thrown") as never)
    expect(records().map(({message}) => message)).toEqual(["null", "text", "undefined", '{"a":1}', "thrown"])
    expect(records()[4]?.error).toMatchObject({message: "thrown"})
  })

  test("a proxy that refuses everything is logged, as message and as fields", () => {
    const {log, records} = collect()
    log.info(hostile as never)
    log.info("kept", hostile)
    expect(records().map(({message}) => message)).toEqual([
      expect.stringMatching(/unreadable: no (keys|prototype)/),
      "kept",
    ])
  })

  test("a writer that throws does not affect the caller; standard error reports it without the secret", () => {
    const told: string[] = []
    const write = vi.spyOn(process.stderr, "write").mockImplementation(text => told.push(String(text)) > 0)
    onTestFinished(() => write.mockRestore())
    const {log, hide, page} = collect({
      write: line => {
        throw new Error(`no room for a-secret-value: ${line}`)
      },
    })
    hide(["a-secret-value"])
    log.error("kept")
    expect(messagesOf(page())).toEqual(["kept"])
    expect(told).toEqual([expect.stringMatching(/ Error: no room for \[secret\]: /)])
  })
})

test("a listener that throws affects neither the caller nor the line", () => {
  const told: string[] = []
  const write = vi.spyOn(process.stderr, "write").mockImplementation(text => told.push(String(text)) > 0)
  onTestFinished(() => write.mockRestore())
  const {log, onError, lines} = collect()
  onError(() => {
    throw new Error("the listener's own")
  })
  log.error("kept")
  expect(lines).toHaveLength(1)
  expect(told).toEqual([expect.stringContaining("the listener's own")])
})

describe("the newest records can be read", () => {
  test("a thousand at most, newest first, page by page", () => {
    const {log, page} = collect()
    for (let n = 1; n <= 1005; n++) log.info(`record ${n}`)
    const first = page({limit: 600})
    const second = page({limit: 600, cursor: Number(first.next)})
    const messages = [...messagesOf(first), ...messagesOf(second)]
    expect(messages).toHaveLength(1000)
    expect([messages[0], messages.at(-1), second.next]).toEqual(["record 1005", "record 6", null])
    expect(first.items[0]?.id).toBe("run-1005")
  })

  test("fewer if they are large", () => {
    const {log, page} = collect()
    for (let n = 0; n < 500; n++) log.info(`${n} ${"z".repeat(16_000)}`)
    const {items} = page()
    expect(items.length).toBeLessThan(140)
    expect(items.length).toBeGreaterThan(100)
    expect(items[0]?.message.slice(0, 4)).toBe("499 ")
  })

  test("by level and by plugin", () => {
    const {log, page} = collect()
    log.info("one")
    log.with({plugin: "a"}).warn("two")
    log.with({plugin: "b"}).error("three")
    expect(messagesOf(page({filter: {level: "warn", plugin: undefined}}))).toEqual(["three", "two"])
    expect(messagesOf(page({filter: {level: "silly", plugin: "a"}}))).toEqual(["two"])
  })

  test("after a given record, oldest first; a filter hides records and misses none", () => {
    const {log, page} = collect()
    log.info("one")
    const {head} = page()
    for (const n of [2, 3, 4]) log.info(`record ${n}`)
    const some = page({after: head, limit: 2})
    expect([messagesOf(some), some.head, some.next, some.missed]).toEqual([
      ["record 2", "record 3"],
      "run-3",
      "run-3",
      null,
    ])
    const rest = page({after: some.head, limit: 2})
    expect([messagesOf(rest), rest.head, rest.next, rest.missed]).toEqual([["record 4"], "run-4", null, null])
    const filtered = page({after: head, filter: {level: "error", plugin: undefined}})
    expect([filtered.items, filtered.head, filtered.missed]).toEqual([[], "run-4", null])
  })

  test("with a count of lost ones, and apart from another run's records", () => {
    const {log, page} = collect()
    for (let n = 1; n <= 1500; n++) log.info(`record ${n}`)
    const late = page({after: "run-100", limit: 1})
    expect([messagesOf(late), late.missed]).toEqual([["record 501"], {reason: "evicted", records: 400}])
    expect(page({after: "run-500", limit: 1}).missed).toBe(null)
    for (const after of ["earlier-1500", "run-1501", "run-999999999999999"]) {
      const other = page({after, limit: 1})
      expect([messagesOf(other), other.missed]).toEqual([["record 501"], {reason: "restarted", records: null}])
    }
  })
})
