import {execFileSync} from "node:child_process"
import {closeSync, mkdirSync, openSync, writeSync} from "node:fs"
import {join} from "node:path"
import {onTestFinished, type TestContext} from "vitest"
import {makeFolder} from "../database/databases.ts"

const run = (command: string, ...args: string[]): boolean => {
  try {
    execFileSync(command, args, {stdio: "ignore"})
    return true
  } catch {
    return false
  }
}

export const canMount = (() => {
  let known: boolean | undefined
  return () => {
    if (known !== undefined) return known
    const folder = makeFolder()
    known = run("mount", "-t", "tmpfs", "-o", "size=64k", "none", folder)
    if (known) run("umount", folder)
    return known
  }
})()

/** Skips the test if a requirement is missing; fails it instead if `SVC_TEST_REQUIRE_TOOLS` is 1. */
export const need = (context: TestContext, has: boolean, what: string): void => {
  if (process.env.SVC_TEST_REQUIRE_TOOLS === "1" && !has) throw new Error(`this machine lacks ${what}`)
  context.skip(!has, `needs ${what}`)
}

export const needMounts = (context: TestContext): void => need(context, canMount(), "the right to mount file systems")

const unmountLater = (folder: string) => onTestFinished(() => void run("umount", "-l", folder))

/** Mounts a tmpfs of a given size at a folder, with room for a number of files, and unmounts it when the test ends. */
export const mountDisk = (
  folder: string,
  size: string,
  files?: number,
): {resize(size: string, files?: number): void} => {
  const room = (bytes: string, inodes?: number) => `size=${bytes}${inodes === undefined ? "" : `,nr_inodes=${inodes}`}`
  mkdirSync(folder, {recursive: true})
  execFileSync("mount", ["-t", "tmpfs", "-o", `${room(size, files)},mode=700`, "none", folder])
  unmountLater(folder)
  return {resize: (...next) => void execFileSync("mount", ["-o", `remount,${room(...next)}`, folder])}
}

/** Fills a small disk completely, with a file `filling`. */
export const fillDisk = (folder: string): void => {
  const file = openSync(join(folder, "filling"), "w")
  try {
    for (;;) writeSync(file, Buffer.alloc(4096))
  } catch {
    closeSync(file)
  }
}

/** Uses up all inodes of a small disk, with empty files `filling.<n>`. Bytes stay free. */
export const fillInodes = (folder: string): void => {
  try {
    for (let n = 0; ; n++) closeSync(openSync(join(folder, `filling.${n}`), "w"))
  } catch {
    // No inode is left.
  }
}

/** Makes a folder and its content read-only, even for root, until the test ends. */
export const mountReadOnly = (folder: string): void => {
  execFileSync("mount", ["--bind", folder, folder])
  unmountLater(folder)
  execFileSync("mount", ["-o", "remount,ro,bind", folder])
}
