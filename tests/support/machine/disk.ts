import {execFileSync} from "node:child_process"
import {closeSync, mkdirSync, openSync, writeSync} from "node:fs"
import {join} from "node:path"
import {onTestFinished, type TestContext} from "vitest"
import {scratchFolder} from "../database/databases.ts"

const run = (command: string, ...args: string[]): boolean => {
  try {
    execFileSync(command, args, {stdio: "ignore"})
    return true
  } catch {
    return false
  }
}

const canMount = (() => {
  let known: boolean | undefined
  return () => {
    if (known !== undefined) return known
    const folder = scratchFolder()
    known = run("mount", "-t", "tmpfs", "-o", "size=64k", "none", folder)
    if (known) run("umount", folder)
    return known
  }
})()

/** Skips the test where what it needs is missing; fails it instead where `SVC_TEST_REQUIRE_TOOLS` is 1. */
export const need = (context: TestContext, has: boolean, what: string): void => {
  if (process.env.SVC_TEST_REQUIRE_TOOLS === "1" && !has) throw new Error(`this machine lacks ${what}`)
  context.skip(!has, `needs ${what}`)
}

export const needMounts = (context: TestContext): void => need(context, canMount(), "the right to mount file systems")

const unmountLater = (folder: string) => onTestFinished(() => void run("umount", "-l", folder))

/** A disk of its own size at a folder (a tmpfs), unmounted when the test has ended. */
export const mountDisk = (folder: string, size: string): {resize(size: string): void} => {
  mkdirSync(folder, {recursive: true})
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=700`, "none", folder])
  unmountLater(folder)
  return {resize: next => void execFileSync("mount", ["-o", `remount,size=${next}`, folder])}
}

/** Leaves no byte of a small disk free, in a file `filling`. */
export const fillDisk = (folder: string): void => {
  const file = openSync(join(folder, "filling"), "w")
  try {
    for (;;) writeSync(file, Buffer.alloc(4096))
  } catch {
    closeSync(file)
  }
}

/** Makes a folder, with what is in it, read-only even for root, until the test has ended. */
export const mountReadOnly = (folder: string): void => {
  execFileSync("mount", ["--bind", folder, folder])
  unmountLater(folder)
  execFileSync("mount", ["-o", "remount,ro,bind", folder])
}
