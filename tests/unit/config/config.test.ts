import {describe, expect, test} from "vitest"
import {check} from "../../../server/config/check.ts"
import {parseConfig} from "../../../server/config/load.ts"
import {decodeSource, parseSource} from "../../../server/config/text/source.ts"
import {most} from "../../../server/config/text/yaml-value.ts"
import {readQuery} from "../../../server/http/requests/body.ts"
import {sha256Of} from "../../../server/runtime/files.ts"
import {handlerSlots, slotLayout, slotViews} from "../../../server/runtime/flow/handler-slots.ts"
import {explainValue} from "../../../server/runtime/text/explain.ts"
import {logLevels} from "../../../shared/log.ts"
import {Type} from "../../../shared/type.ts"
import {issuesOf} from "../../support/host/problems.ts"

const parse = (text: string, variables: Record<string, string> = {}) =>
  parseConfig({file: "svc.config.yml", text, sha256: sha256Of(text)}, variables)

const findings = (text: string, variables: Record<string, string> = {}) => issuesOf(() => parse(text, variables))

test.each([
  ["42", /got 42; .*quotes/],
  ["0x1F", /got 31; .*quotes/],
  ["true", /got true; .*quotes/],
  ["#general", /got nothing; .*#.*quotes/],
  ["[a]", /got a list$/],
  ["2026-11-30", undefined],
  ["'42'", undefined],
])("a text key with the value %s explains the quotes", (value, told) => {
  const text = `text: ${value}\n`
  const kinds = [
    Type.String(),
    Type.Union([Type.String(), Type.Array(Type.Object({}))]),
    Type.Enum(["42", "31", "true", "null", "2026-11-30"]),
  ]
  for (const kind of kinds) {
    const source = parseSource("svc.config.yml", text)
    const [issue] = check(source, {}, Type.Object({text: kind}), source.raw).issues
    if (told === undefined) expect(issue).toBeUndefined()
    else expect(issue?.message).toMatch(told)
  }
})

describe("alerts", () => {
  const alerts = (text: string) => `alerts:\n${text}`
  const where = (text: string, variables = {}) => findings(alerts(text), variables).join("\n")

  test("need exactly one place per target, with a complete address", () => {
    expect(where("  targets:\n    ops: {}")).toMatch(/^svc.config.yml:3:5 alerts\.targets\.ops: .*\bendpoint\b/)
    expect(where("  targets:\n    ops: {endpoint: irc~a, channel: ops, webhook: {url: https://a.example}}")).toMatch(
      /:3:5 .*exactly one of/,
    )
    expect(where("  targets:\n    ops: {endpoint: irc~a}")).toMatch(/:3:10 alerts\.targets\.ops\.channel: is missing/)
    expect(where("  targets:\n    ops: {webhook: {url: ftp://a.example}}")).toMatch(
      /:3:26 alerts\.targets\.ops\.webhook\.url: /,
    )
    expect(where("  targets:\n    ops: {email: {from: a@b.example, to: [nobody], smtp: {host: h}}}")).toMatch(
      /alerts\.targets\.ops\.email\.to\[0\]: /,
    )
    const one = `  targets:\n    ops: {webhook: {url: https://a.example, secret: "\${KEY}"}}`
    expect(where(one, {KEY: "short"})).toMatch(/webhook\.secret: is not base64 of 24 to 64 bytes/)
  })

  test("hide an address from a variable, even a wrong one", () => {
    const text = alerts(`  targets:\n    ops: {webhook: {url: "\${PAGER_URL}"}}`)
    expect(parse(text, {PAGER_URL: "https://hooks.example/canary"}).secrets).toContain("https://hooks.example/canary")
    expect(findings(text, {PAGER_URL: "canary"}).join()).not.toContain("canary")
  })

  test("have their codes, limits, zones and hours checked", () => {
    expect(where("  items: {endpoint_ofline: {}}")).toMatch(/:2:11 .*did you mean "?endpoint_offline/)
    expect(where("  items: {last_good: {above: 1}}")).toMatch(/above/)
    expect(where("  items: {log_errors: {for: soon}}")).toMatch(/alerts\.items\.log_errors\.for: /)
    expect(where("  quiet: {zone: Mars/Base}")).toMatch(/:2:17 alerts\.quiet\.zone: .*"Mars\/Base"/)
    expect(where('  quiet: {hours: [{from: "07:00", to: "07:00"}]}')).toMatch(/hours\[0\]\.to: .*\bfrom\b/)
    expect(where('  quiet: {hours: [{from: "22:00", to: "24:00", days: [fri]}]}')).toBe("")
  })
})

describe("defaults", () => {
  test("apply to an almost empty file", () => {
    const {config} = parse("plugins:\n  sandbox:\n")
    expect(config.http).toMatchObject({host: "127.0.0.1", port: 8068, base: "", corsOrigins: []})
    expect(config.http.readiness).toEqual({database: true, endpoints: [], agents: []})
    expect(config.database.dialect).toBe("sqlite")
    expect(config.plugins.sandbox).toEqual({enabled: true, pages: [], endpoints: []})
    expect(config.log_level).toBe("info")
  })

  test("are in a frozen result", () => {
    const {config} = parse("http: {port: 1}")
    expect(() => Object.assign(config.http, {port: 2})).toThrow()
  })
})

describe("findings", () => {
  test("come all at once, in file order, with position, key, expectation and suggestion", () => {
    const text = `log_level: infos
http:
  hots: 1
  port: abc
  readiness:
    endpoints:
      - owner: root/irc
plugins:
  Greeter: {}
`
    expect(findings(text)).toEqual([
      expect.stringMatching(`^svc\\.config\\.yml:1:12 log_level: .* ${logLevels.join(", ")}, .*"infos" .*"info"`),
      'svc.config.yml:3:3 http.hots: unknown key (did you mean "host"?)',
      'svc.config.yml:4:9 http.port: expected an integer, got "abc"',
      "svc.config.yml:7:9 http.readiness.endpoints[0].name: is missing",
      expect.stringMatching(/^svc\.config\.yml:9:3 plugins\.Greeter: .* \^\[a-z0-9\]/),
    ])
  })

  test("name a duplicate key", () => {
    expect(findings("http: {}\nhttp: {}\n")).toEqual([expect.stringMatching(/^svc\.config\.yml:2:1 .*\bduplicate\b/)])
  })

  test.each([
    ["instructions: Write", ["provider"]],
    ["provider: google", ["model"]],
    ["model: large, models: [{provider: google, model: m}]", ["provider"]],
    ["key: ${KEY}, models: [{provider: google, model: m}]", ["provider"]],
    ["models: [{model: m}]", ["models[0].provider"]],
    ["models: [{provider: google, model: m}]", []],
    ["provider: google, model: m, models: [{provider: google, model: n, key: ${KEY}}]", []],
  ])("name what an agent with {%s} lacks to have a model: %j", (entry, missing) => {
    const quoted = entry.replaceAll("${KEY}", '"${KEY}"')
    const found = findings(`agents:\n  a: {${quoted}}\n`, {KEY: "a-key"})
    expect(found.map(line => /agents\.a\.(\S+): /.exec(line)?.[1])).toEqual(missing)
  })

  test("name a duplicate account", () => {
    expect(findings("plugins:\n  irc:\n    endpoints: [{id: a}, {id: a}]\n")).toEqual([
      'svc.config.yml:3:31 plugins.irc.endpoints[1].id: the id "a" is used twice',
    ])
  })

  test("name keys that do not belong together", () => {
    expect(findings("database: {dialect: libsql, filename: x}\n")).toEqual([
      expect.stringMatching(/^svc\.config\.yml:1:11 database\.url: .*\blibsql\b/),
      expect.stringMatching(/^svc\.config\.yml:1:29 database\.filename: .*\bsqlite\b.*\burl$/),
    ])
  })

  test("come at once for an alias bomb", () => {
    const levels = Array.from(
      {length: 8},
      (_, level) =>
        `k${level}: &a${level} [${Array(9)
          .fill(level === 0 ? "x" : `*a${level - 1}`)
          .join(",")}]`,
    )
    const start = performance.now()
    expect(findings(levels.join("\n"))).toEqual([expect.stringMatching(/^svc\.config\.yml:\d:\d+ k\d/)])
    expect(performance.now() - start).toBeLessThan(20_000)
  })

  test.each([
    ["brackets", `a: ${"[".repeat(20_000)}`, 1],
    ["dashes", "- ".repeat(130_000), 1],
    ["commas", `[${",".repeat(50_000)}`, 100],
    ["equal keys", "a: 1\n".repeat(10_000), 100],
    ["unknown keys", Array.from({length: 10_000}, (_, index) => `k${index}: 1`).join("\n"), 100],
    ["references that do not end", `plugins: {a: {use: "${"$"}{B}${"${A:-".repeat(40_000)}"}}`, 1],
    [
      "languages",
      `languages:\n  texts:\n${Array.from({length: 5000}, (_, index) => `    en-${1000 + index}x: {}`).join("\n")}`,
      0,
    ],
  ])("are few and come soon for a file of %s", (_, text, count) => {
    const start = performance.now()
    expect(findings(text)).toHaveLength(count)
    expect(performance.now() - start).toBeLessThan(20_000)
  })

  test.each([
    ["bytes", "a: 1\nb: !!binary aGk=", "2:13 b"],
    ["a timestamp", "a: !!timestamp 2020-01-01", "1:16 a"],
    ["a set", "a: [!!set {x, y}]", "1:11 a[0]"],
    ["a private tag", "a: !secret x", "1:4 "],
    ["an alias of itself", "a: &a\n  - *a", "2:5 a[0]"],
    ["an alias without its anchor", "a: *b\nb: &b 1", "1:4 a"],
    ["a merge key", "a: &a {x: 1}\nb:\n  <<: *a", "3:3 b"],
    ["a number that is none", "a: {b: .nan}", "1:8 a.b"],
    ["an endless number", "a: -.inf", "1:4 a"],
    ["a number beyond its digits", "a: 12345678901234567890", "1:4 a"],
    ["a list as a key", "? [a]\n: 1", "1:3 "],
    ["another version", "%YAML 1.1\n---\na: 1", "1:1 "],
  ])("name the place of what JSON does not know: %s", (_, text, place) => {
    expect(findings(text)).toEqual([expect.stringContaining(`svc.config.yml:${place}`)])
    expect(findings(`plugins: {sandbox: {config: {yaml: ${JSON.stringify(text)}}}}`)).toEqual([])
  })

  test("name the end of a truncated file", () => {
    expect(findings('http:\n  host: "127.0.0')[0]).toMatch(/^svc\.config\.yml:2:\d+ /)
  })

  test("of a value of several types hide none of its neighbours, whose name begins alike", () => {
    const schema = Type.Object({a: Type.Union([Type.Number(), Type.Boolean()]), ab: Type.Number()})
    expect(explainValue(schema, {a: "x", ab: "y"}).map(({path}) => path)).toEqual([["a"], ["ab"]])
  })

  test("follow an alias to the anchor that it was written behind", () => {
    const text = "plugins: {a: {config: {x: &y 1, a: &x [*y], y: &y 2, b: *x}}}"
    expect(parse(text).config.plugins.a?.config).toEqual({x: 1, a: [1], y: 2, b: [1]})
  })

  test("name text that stands in place of keys", () => {
    expect(findings("hello")).toEqual([expect.stringMatching(/^svc\.config\.yml:1:1 .*\bmapping\b/)])
  })
})

describe("a file", () => {
  const refusal = (bytes: Uint8Array) => issuesOf(() => decodeSource("svc.config.yml", bytes))

  test("that is empty is refused", () => {
    expect(refusal(new Uint8Array())).toEqual([expect.stringMatching(/^svc\.config\.yml:1:1 .*\bsvc init\b/)])
  })

  test("that is not UTF-8 is refused", () => {
    expect(refusal(new Uint8Array([0x61, 0x3a, 0xff, 0xfe]))).toEqual(["svc.config.yml:1:1 expected UTF-8 text"])
  })

  test("of more than 256 KiB is refused unread, as file and as text", () => {
    expect(refusal(new Uint8Array(most.bytes + 1))).toEqual([expect.stringContaining(":1:1 ")])
    expect(findings(`a: ${"ä".repeat(most.bytes / 2)}`)).toEqual([expect.stringContaining(":1:1 ")])
  })

  test("has its name in the watchdog's slots while it is read", () => {
    const {numbers, names} = slotViews(handlerSlots)
    const running = () => {
      const from = (numbers[slotLayout.current] ?? 0) * slotLayout.nameBytes
      return Buffer.from(names.slice(from, from + slotLayout.nameBytes))
        .toString()
        .replaceAll("\0", "")
    }
    const seen: string[] = []
    const variables = Object.defineProperty({}, "A", {get: () => `${seen.push(running())}`})
    parse("plugins: {a: {use: '${A}'}}", variables)
    expect(seen).toContain("svc: the configuration")
  })
})

describe("variables", () => {
  test("are filled in, and become numbers if the schema wants numbers", () => {
    expect(parse("http: {host: '${H}', port: '${P:-81}'}", {H: "0.0.0.0"}).config.http).toMatchObject({
      host: "0.0.0.0",
      port: 81,
    })
  })

  test("that are not set are named with position and suggestion", () => {
    expect(findings("http:\n  token: ${HTTP_TOKEN}\n", {HTTP_TOKEM: "x"})).toEqual([
      'svc.config.yml:2:10 http.token: the environment variable HTTP_TOKEN is not set (did you mean "HTTP_TOKEM"?)',
    ])
  })

  test("that a plugin needs are named with the first findings", () => {
    const plugins =
      "{a: {endpoints: [{token: '${A}', id: '${B:-b}'}], config: {x: '${C}'}}, b: {enabled: false, config: '${D}'}}"
    expect(findings(`http: {prot: 1}\nplugins: ${plugins}\n`).map(line => line.split(" ")[1])).toEqual([
      "http.prot:",
      "plugins.a.endpoints[0].token:",
      "plugins.a.config.x:",
    ])
    expect(findings(`plugins: ${plugins}\n`)).toEqual([])
  })

  test("that are empty count as not set, never as empty text", () => {
    expect(findings("http: {host: '${H}'}", {H: ""})).toEqual([
      "svc.config.yml:1:14 http.host: the environment variable H is empty",
    ])
  })

  test("never show their values", () => {
    expect(findings("http: {port: '${P}'}", {P: "hunter22"})).toEqual([
      "svc.config.yml:1:14 http.port: expected an integer, got the value of P",
    ])
  })

  test("are escaped by $${", () => {
    expect(parse("plugins: {a: {use: './$${x}'}}").config.plugins.a?.use).toBe("./${x}")
  })

  test("in a plugin's own keys are left to its schema", () => {
    expect(parse("plugins: {a: {config: {x: '${NOT_SET}'}}}").config.plugins.a?.config).toEqual({x: "${NOT_SET}"})
  })
})

describe("secrets", () => {
  test("come from a bare variable and do not print", () => {
    const {config, secrets} = parse("http: {token: '${HTTP_TOKEN}'}", {HTTP_TOKEN: "hunter22hunter22"})
    expect(config.http.token?.reveal()).toBe("hunter22hunter22")
    expect(JSON.stringify(config)).not.toContain("hunter22")
    expect(`${config.http.token}`).toBe("[secret]")
    expect(secrets).toEqual(["hunter22hunter22"])
  })

  test.each(["literal", "${HTTP_TOKEN:-default}", "x${HTTP_TOKEN}"])("with %s are refused and not shown", value => {
    const found = findings(`http:\n  token: "${value}"\n`, {HTTP_TOKEN: "hunter22"})
    expect(found).toHaveLength(1)
    expect(found[0]).toContain("svc.config.yml:2:10 http.token: expected a bare ${NAME}")
    expect(found[0]).not.toContain("literal-value")
    expect(found[0]).not.toContain("hunter22")
  })

  test("must differ between full and demo token", () => {
    expect(findings("http: {token: '${A}', demoToken: '${B}'}", {A: "same-value", B: "same-value"})[0]).toMatch(
      / http\.demoToken: .*\bhttp\.token\b/,
    )
  })

  test("need a previous token that differs from the new one and the demo token", () => {
    const at = "previousToken: {token: '${B}', until: 2026-12-01T18:00:00Z}"
    const same = {A: "same-value", B: "same-value"}
    expect(findings(`http:\n  token: \${A}\n  ${at}\n`, same)).toEqual([
      expect.stringMatching(/^svc\.config\.yml:3:26 http\.previousToken\.token: .*\bhttp\.token\b/),
    ])
    const demo = {...same, C: "another-value"}
    expect(findings(`http:\n  token: \${C}\n  demoToken: \${A}\n  ${at}\n`, demo)).toEqual([
      expect.stringMatching(/^svc\.config\.yml:4:26 http\.previousToken\.token: .*\bhttp\.demoToken\b/),
    ])
    expect(findings(`http:\n  ${at}\n`, {B: "a-value"})).toEqual([
      expect.stringMatching(/^svc\.config\.yml:2:26 http\.previousToken\.token: .*\bhttp\.token\b/),
    ])
    expect(findings(`http:\n  token: \${A}\n  ${at}\n`, {A: "a-value", B: "same-value"})).toEqual([])
    const literal = at.replace("${B}", "literal-value")
    const refused = findings(`http:\n  token: \${A}\n  ${literal}\n`, same)
    expect(refused).toEqual([expect.stringContaining("svc.config.yml:3:26 http.previousToken.token: expected a bare")])
    expect(refused.join()).not.toContain("literal-value")
  })

  test.each(["2026-12-01", "2026-12-01T18:00:00", "2026-02-30T18:00:00Z", "tomorrow"])(
    "need an end of the previous token with date, time and zone, not %s",
    text => {
      const config = `http:\n  token: \${A}\n  previousToken:\n    token: \${B}\n    until: ${text}\n`
      expect(findings(config, {A: "a-value", B: "another-value"})).toEqual([
        expect.stringMatching(/^svc\.config\.yml:5:12 http\.previousToken\.until: .* 2026-12-01T18:00:00Z, .*"$/),
      ])
    },
  )
})

describe("a name that every object has is an ordinary key:", () => {
  test.each(["__proto__", "constructor", "prototype", "toString"])("%s is unknown at every place", key => {
    const texts = [
      `${key}: {port: 1}\n`,
      `http:\n  ${key}: {port: 1}\n`,
      `http:\n  readiness: {${key}: true}\n`,
      `plugins:\n  sandbox:\n    ${key}: 1\n`,
    ]
    for (const text of texts) expect(findings(text), text).toEqual([expect.stringContaining(`${key}: unknown key`)])
    const closed = Type.Object({a: Type.Optional(Type.String({default: "x"}))}, {additionalProperties: false})
    const source = parseSource("svc.config.yml", `${key}: {a: 1}\n`)
    expect(check(source, {}, closed, source.raw).issues).toMatchObject([{path: key}])
    expect(explainValue(closed, JSON.parse(`{"a": "x", "${key}": {"b": 1}}`))).toMatchObject([{path: [key]}])
    expect(() => readQuery(`/api/inbox?${key}=1`, closed)).toThrow(`${key}: unknown key`)
    expect({}).not.toHaveProperty("port")
  })

  test("__proto__ names no plugin", () => {
    expect(findings("plugins:\n  __proto__: {}\n")).toEqual([
      expect.stringMatching(/:2:3 plugins\.__proto__: .* \^\[a-z0-9\]/),
    ])
  })
})
