import {mkdirSync, readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {readStarts, recordStart, tooManyStarts} from "../../../server/project/starts.ts"
import {makeFolder} from "../../support/database/databases.ts"

const at = (uptime: number, boot = "this boot") => ({boot, uptime})

/** The record after starts at these times, in seconds since the boot. */
const startedAt = (...times: readonly number[]) => {
  const file = join(makeFolder(), ".svc/starts.json")
  for (const time of times) recordStart(file, "systemd", at(time))
  return {file, starts: readStarts(file)}
}

test("the fifth start within 120 s is the last one; a restart fits once the first is old enough", () => {
  const {starts} = startedAt(1000, 1010, 1020, 1030, 1040)
  expect(tooManyStarts(starts.slice(0, 4), "systemd", at(1035))).toBeUndefined()
  expect(tooManyStarts(starts, "systemd", at(1041))).toEqual({starts: 5, wait: 80})
  expect(tooManyStarts(starts, "systemd", at(1120))).toEqual({starts: 5, wait: 1})
  expect(tooManyStarts(starts, "systemd", at(1121))).toBeUndefined()
})

test("of more starts than the limit, the newest five decide", () => {
  const {starts} = startedAt(1000, 1001, 1002, 1003, 1004, 1050)
  expect(tooManyStarts(starts, "systemd", at(1060))).toEqual({starts: 6, wait: 62})
})

test.each(["none", "kubernetes", "docker", "podman", "launchd", "pm2", "supervisord"])(
  "%s has no limit that a restart could reach",
  supervisor => {
    const file = join(makeFolder(), ".svc/starts.json")
    for (let n = 0; n < 8; n++) recordStart(file, supervisor, at(n))
    expect(tooManyStarts(readStarts(file), supervisor, at(9))).toBeUndefined()
  },
)

test("the starts of another owner, or before a reboot, do not count", () => {
  const {file} = startedAt(1000, 1001, 1002, 1003)
  recordStart(file, "daemon", at(1004))
  expect(tooManyStarts(readStarts(file), "systemd", at(1005))).toBeUndefined()
  const starts = recordStart(file, "systemd", at(1006))
  expect(tooManyStarts(starts, "systemd", at(1007))).toMatchObject({starts: 5})
  expect(tooManyStarts(starts, "systemd", at(1007, "the next boot"))).toBeUndefined()
})

test("if the system names no boot, starts in the future belong to an earlier boot", () => {
  const starts = [500, 510, 520, 530, 540].map(uptime => ({at: "", boot: "", uptime, owner: "systemd"}))
  expect(tooManyStarts(starts, "systemd", at(30, ""))).toBeUndefined()
  expect(tooManyStarts(starts, "systemd", at(545, ""))).toMatchObject({starts: 5})
})

test("the wall clock has no influence: the same starts count when it is set back or forward", () => {
  const years = ["1999-01-01T00:00:00Z", "2099-01-01T00:00:00Z", "no time at all"]
  const starts = [1, 2, 3, 4, 5].map(n => ({at: years[n % 3] ?? "", ...at(n), owner: "systemd"}))
  expect(tooManyStarts(starts, "systemd", at(10))).toMatchObject({starts: 5})
})

test("the record keeps the newest ten, readable by its owner only, and resets when damaged", () => {
  const {file, starts} = startedAt(...Array.from({length: 25}, (_, n) => n))
  expect(starts.map(({uptime}) => uptime)).toEqual([15, 16, 17, 18, 19, 20, 21, 22, 23, 24])
  expect(readFileSync(file, "utf8").length).toBeLessThan(2000)
  for (const damage of ["", "{", "[]", '{"starts": [{"at": 1}]}', "\0\0\0"]) {
    writeFileSync(file, damage)
    expect(readStarts(file)).toEqual([])
    expect(recordStart(file, "systemd", at(1))).toHaveLength(1)
    expect(readStarts(file)).toHaveLength(1)
  }
})

test("a record that cannot be written is no failure, and this process still knows its own start", () => {
  const file = join(makeFolder(), "starts.json")
  mkdirSync(file)
  expect(recordStart(file, "systemd", at(1))).toHaveLength(1)
})
