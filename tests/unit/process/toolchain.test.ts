import {chmodSync, mkdirSync, writeFileSync} from "node:fs"
import {delimiter, join} from "node:path"
import {expect, onTestFinished, test, vi} from "vitest"
import {callOf, isInstalled, quoted} from "../../../server/process/toolchain.ts"
import {makeFolder} from "../../support/host/project.ts"

const folderWith = (...programs: string[]): string => {
  const folder = makeFolder()
  for (const program of programs) {
    writeFileSync(join(folder, program), "#!/bin/sh\n")
    chmodSync(join(folder, program), 0o755)
  }
  return folder
}

test("a program counts if a terminal finds it, but not if npx added it for one command", () => {
  const [fetched, own] = ["node_modules/.bin", "node_modules/own/bin"].map(name => {
    const folder = join(makeFolder(), name)
    mkdirSync(folder, {recursive: true})
    writeFileSync(join(folder, "bun"), "", {mode: 0o755})
    return folder
  })
  vi.stubEnv("npm_execpath", undefined)
  expect(isInstalled("bun", fetched)).toBe(true)
  vi.stubEnv("npm_execpath", "/usr/lib/npm-cli.js")
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(isInstalled("bun", own)).toBe(true)
  expect(isInstalled("bun", [fetched, folderWith("npx")].join(delimiter))).toBe(false)
  expect(isInstalled("bun", ["", fetched, folderWith("bun")].join(delimiter))).toBe(true)
})

test("commands of a project for Bun call bun, or npx if there is no bun", () => {
  expect(callOf("bun", folderWith("bun", "npx"))).toMatchObject({run: "bun run", svc: "bun run --bun svc"})
  expect(callOf("bun", folderWith("npx"))).toEqual({
    install: "npx --yes bun@1.4.5 install",
    run: "npx --yes bun@1.4.5 run",
    svc: "npx --yes bun@1.4.5 run --bun svc",
    file: "npx --yes bun@1.4.5",
  })
})

test("commands of a project for Node call npm and npx, whatever is installed", () => {
  expect(callOf("node", folderWith("bun"))).toMatchObject({run: "npm run", svc: "npx svc"})
})

test("a word is quoted if a shell would read several, or something else", () => {
  expect(["my-bot", "My Bot", "it's", "$HOME"].map(quoted)).toEqual(["my-bot", "'My Bot'", "'it'\\''s'", "'$HOME'"])
})
