import {expect, test} from "vitest"
import {readAnswer, severeOf} from "../../../scripts/tests/advisories.ts"

/** What `bun audit --json` printed for two packages: with the fields that svc does not read. */
const listing = JSON.stringify({
  ws: [
    {
      id: 1117000,
      url: "https://github.com/advisories/GHSA-0000-0000-0001",
      title: "ws: denial of service",
      severity: "high",
      vulnerable_versions: ">=8.0.0 <8.24.0",
      cwe: ["CWE-400"],
      cvss: {score: 7.5, vectorString: "CVSS:3.1/AV:N"},
    },
  ],
  vite: [
    {
      id: 1117001,
      url: "https://github.com/advisories/GHSA-0000-0000-0002",
      title: "vite: reads files",
      severity: "moderate",
      vulnerable_versions: "<99",
      cwe: [],
      cvss: {score: 0, vectorString: null},
    },
  ],
})

const advisories = [
  {
    package: "ws",
    severity: "high",
    title: "ws: denial of service",
    url: "https://github.com/advisories/GHSA-0000-0000-0001",
    versions: ">=8.0.0 <8.24.0",
  },
  {
    package: "vite",
    severity: "moderate",
    title: "vite: reads files",
    url: "https://github.com/advisories/GHSA-0000-0000-0002",
    versions: "<99",
  },
]

test("a listing has each advisory with its package", () => {
  expect(readAnswer(listing, "")).toEqual({is: "answered", advisories})
  expect(readAnswer("{}\n", "")).toEqual({is: "answered", advisories: []})
})

test.each([
  ["", "bun audit v1.4.5\n\nerror: POST https://registry.example/-/npm/v1/security/advisories/bulk - 405\n"],
  ["", "error: https://registry.example returned a non-JSON audit response\n"],
  ["", ""],
  ['{"ws": [', ""],
  ["null", ""],
  ['{"statusCode": 405, "body": ""}', ""],
])("no answer is no listing without advisories: %j, %j", (stdout, stderr) => {
  const reason = stderr === "" ? "bun audit printed no listing" : expect.stringMatching(/^error: .*(?:405|response)$/)
  expect(readAnswer(stdout, stderr)).toEqual({is: "refused", reason})
})

test("only a high or critical advisory about an affected version in production fails the run", () => {
  const ws = advisories.slice(0, 1)
  const production = [
    {name: "ws", version: "8.23.0"},
    {name: "vite", version: "8.3.8"},
  ]
  expect(severeOf(advisories, production)).toEqual(ws)
  expect(severeOf(advisories, [{name: "ws", version: "8.24.0"}])).toEqual([])
  expect(severeOf(advisories, [{name: "ws", version: "8.24.0-beta.1"}])).toEqual(ws)
  expect(severeOf(advisories, [])).toEqual([])
  const critical = advisories.map(advisory => ({...advisory, severity: "critical"}))
  expect(severeOf(critical, production)).toEqual(critical)
})
