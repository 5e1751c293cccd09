import {describe, expect, test} from "vitest"
import {formatJobFile, parseJobFile, restampJobFile} from "../../../server/scheduler/job-file/job-file.ts"
import {JsonError, parseJson} from "../../../server/scheduler/job-file/json-source.ts"
import type {Job} from "../../../shared/api/scheduled/jobs.ts"
import {issuesOf} from "../../support/host/problems.ts"
import {Chance} from "../../support/machine/chance.ts"

const digest: Job = {
  id: "digest",
  schedule: {cron: "0 9 * * MON-FRI"},
  timezone: "Europe/London",
  target: {plugin: "team", job: "digest"},
}

const findings = (text: string) => issuesOf(() => parseJobFile("jobs.json", text), "jobs_invalid")

test("a written file is read back, and written again byte for byte", () => {
  const text = formatJobFile("a1", [digest, {...digest, id: "other", enabled: false, jitter: "5m"}])
  const content = parseJobFile("jobs.json", text)
  expect(content.authority).toBe("a1")
  expect(formatJobFile(content.authority, content.jobs)).toBe(text)
  expect(parseJobFile("jobs.json", restampJobFile("jobs.json", text, "b2"))).toMatchObject({
    authority: "b2",
    jobs: content.jobs,
  })
})

test.each([
  ["", '1:1 the file is empty; for no jobs, write "jobs": []'],
  ["{", '1:2 expected a key in "quotes"'],
  ['{"version": 1, "jobs": [],}', '1:27 expected a key in "quotes"'],
  ['{"version": 1,\n "jobs": []} x', "2:14 expected the end of the file"],
  ['{"version": 1, "version": 1, "jobs": []}', '1:16 the key "version" appears twice; keep one of them'],
  ["// jobs\n{}", "1:1 expected a value"],
  ["[]", "1:1 expected keys with values (a mapping), got a list"],
  ["null", "1:1 expected keys with values (a mapping), got nothing"],
  ['{"version": 2, "jobs": []}', "1:13 version: "],
  ['{"jobs": []}', "1:1 version: is missing"],
  ['{"version": 1}', "1:1 jobs: is missing"],
  ['{"version": 1, "jobs": {}}', "1:24 jobs: expected a list, got keys with values"],
])("the text %j is refused, with its position", (text, expected) => {
  expect(findings(text)[0]).toContain(`jobs.json:${expected}`)
})

test.each([
  [{tiemzone: "UTC"}, 'jobs[0].tiemzone: unknown key (did you mean "timezone"?)'],
  [{timezone: undefined}, "jobs[0].timezone: is missing"],
  [
    {timezone: "Europe/Londn"},
    'expected the name of a timezone, such as Europe/London, got "Europe/Londn" (did you mean "Europe/London"?)',
  ],
  [{timezone: "+01:00"}, "jobs[0].timezone: expected the name of a timezone"],
  [{schedule: {}}, "jobs[0].schedule: expected one of cron, every and at"],
  [{schedule: {cron: "0 9 * * *", every: "1h"}}, "expected one of cron, every and at, got cron and every"],
  [{schedule: {cron: "0 25 * * *"}}, 'jobs[0].schedule.cron: "0 25 * * *": '],
  [{schedule: {cron: "0 0 31 2 *"}}, "matches no time"],
  [{schedule: {every: "0s"}}, "jobs[0].schedule.every: expected text that matches"],
  [{schedule: {cron: "0 9 * * *", from: "2026-01-01T00:00"}}, "jobs[0].schedule.from: belongs only to every"],
  [{schedule: {at: "2026-02-30T09:00"}}, "jobs[0].schedule.at: the time 2026-02-30T09:00 does not exist"],
  [{schedule: {at: "tomorrow"}}, "jobs[0].schedule.at: expected text that matches"],
  [{target: {}}, "jobs[0].target: expected endpoint, channel and text; or plugin and job; or item"],
  [{target: {endpoint: "irc~libera", text: "hi"}}, "jobs[0].target.channel: is required with endpoint"],
  [{target: {plugin: "team", job: "digest", text: "hi"}}, "jobs[0].target.text: is not allowed with plugin"],
  [{target: {agent: "helper"}}, "jobs[0].target.text: is required with agent"],
  [{target: {agent: "helper", text: "hi", data: 1}}, "jobs[0].target.data: is not allowed with agent"],
  [{target: {item: {}}}, "jobs[0].target.item.title: is missing"],
  [{missed: "maybe"}, "jobs[0].missed: expected one of skip, once, all"],
  [{overlap: "never"}, "jobs[0].overlap: expected one of skip, queue"],
  [{jitter: "25h"}, "jobs[0].jitter: expected at most 24h, got 25h"],
  [{id: "Not An Id"}, "jobs[0].id: expected text that matches"],
  [{enabled: "yes"}, "jobs[0].enabled: expected true or false"],
])("a job with %j is refused", (change, expected) => {
  const issues = findings(JSON.stringify({version: 1, jobs: [{...digest, ...change}]}, undefined, 2))
  expect(issues.join("\n")).toContain(expected)
  expect(issues[0]).toMatch(/^jobs\.json:\d+:\d+ jobs\[0\]/)
})

test("all findings are reported at once, with their lines", () => {
  const text = `{
  "version": 1,
  "jobs": [
    {"id": "one", "schedule": {"cron": "0 9 * * *"}, "timezone": "Nowhere", "target": {"agent": "x"}},
    {"id": "one", "schedule": {"every": "5m"}, "timezone": "UTC", "target": {"item": {"title": "water"}}}
  ]
}`
  expect(findings(text).map(issue => issue.split(" ").slice(0, 2).join(" "))).toEqual([
    "jobs.json:4:66 jobs[0].timezone:",
    "jobs.json:4:87 jobs[0].target.text:",
    "jobs.json:5:12 jobs[1].id:",
  ])
})

test("bytes that are not UTF-8, and a file of 33 MiB, are refused unread", () => {
  expect(() => parseJobFile("jobs.json", new Uint8Array([0xff, 0xfe]))).toThrow(
    expect.objectContaining({code: "jobs_invalid"}),
  )
  expect(() => parseJobFile("jobs.json", new Uint8Array(33 * 1024 ** 2))).toThrow(
    expect.objectContaining({code: "jobs_invalid"}),
  )
})

describe("the JSON reader", () => {
  const chance = new Chance(11)
  const make = (depth: number): unknown => {
    const kind = chance.below(depth > 3 ? 5 : 7)
    if (kind === 0) return null
    if (kind === 1) return chance.below(2) === 0
    if (kind === 2) return chance.pick([0, -1, 1.5, 1e21, -2.5e-7, 123456789])
    if (kind < 5) return chance.pick(["", "a", 'q"\\/\b\n', "\u0001ü😀", "__proto__", "\ud800"])
    const items = Array.from({length: chance.below(4)}, () => make(depth + 1))
    return kind === 5
      ? items
      : Object.fromEntries(items.map((item, index) => [`k${index}${chance.pick(['"', "ü", ""])}`, item]))
  }
  const parsed = (text: string): unknown => {
    try {
      return parseJson(text)
    } catch (error) {
      if (error instanceof JsonError) return error
      throw error
    }
  }

  test("reads the same as JSON.parse, for 2000 texts", () => {
    for (let round = 0; round < 2000; round++) {
      const text = JSON.stringify(make(0), undefined, chance.pick([0, 2, "\t"]))
      expect(parseJson(text)).toEqual(JSON.parse(text))
    }
  })

  test("refuses whatever JSON.parse refuses, for 4000 damaged texts", () => {
    let refused = 0
    for (let round = 0; round < 4000; round++) {
      const whole = JSON.stringify(make(0))
      const at = chance.below(whole.length + 1)
      const text = chance.pick([
        whole.slice(0, at),
        whole.slice(0, at) + chance.pick([",", "}", "]", '"', "0", "-", "e", "\\", "\n", "\u00a0"]) + whole.slice(at),
        whole.slice(0, at) + whole.slice(at + 1),
      ])
      const mine = parsed(text)
      let theirs: unknown
      try {
        theirs = JSON.parse(text)
      } catch {
        refused++
        expect({text, mine}).toEqual({text, mine: expect.any(JsonError)})
        continue
      }
      // JSON.parse accepts a repeated key; this reader does not.
      if (mine instanceof JsonError)
        expect({text, message: mine.message}).toMatchObject({message: expect.stringContaining("appears twice")})
      else expect(mine).toEqual(theirs)
    }
    expect(refused).toBeGreaterThan(1000)
  })
})
