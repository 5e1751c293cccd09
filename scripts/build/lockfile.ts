import {spawnSync} from "node:child_process"
import {existsSync, readFileSync, rmSync, writeFileSync} from "node:fs"
import {root} from "../root.ts"

/**
 * Installs, then removes the download addresses from bun.lockb, so that it installs from any registry and names none. The
 * file has an 8-byte pointer (offset, length with its top bit set) for each long string. The script zeroes the pointers to
 * addresses and blanks the addresses. Run it instead of `bun install` whenever a dependency changes.
 */
const file = `${root}bun.lockb`
const topBit = 0x8000_0000

const install = (...args: string[]) => {
  const {status} = spawnSync(process.execPath, ["install", ...args], {cwd: root, stdio: "inherit"})
  if (status !== 0) process.exit(status ?? 1)
}

/** Returns the start and length of every tarball address in the file. */
const findAddresses = (bytes: Buffer): Map<number, number> => {
  const found = new Map<number, number>()
  for (let start = bytes.indexOf("https://"); start >= 0; start = bytes.indexOf("https://", start + 1)) {
    const end = bytes.indexOf(".tgz", start)
    if (end > start) found.set(start, end + ".tgz".length - start)
  }
  return found
}

interface Pointer {
  readonly at: number
  readonly offset: number
  readonly length: number
}

const findPointers = (bytes: Buffer, lengths: ReadonlySet<number>): Pointer[] => {
  const pointers: Pointer[] = []
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    const word = bytes.readUInt32LE(at + 4)
    const length = word & ~topBit
    if (word >= topBit && lengths.has(length)) pointers.push({at, offset: bytes.readUInt32LE(at), length})
  }
  return pointers
}

/** Finds the start of the string buffer, from which offsets count: with it, the most pointers point at an address. */
const findBase = (addresses: ReadonlyMap<number, number>, pointers: readonly Pointer[]): number => {
  const votes = new Map<number, number>()
  for (const {offset, length} of pointers) {
    for (const [start, size] of addresses) {
      if (size === length) votes.set(start - offset, (votes.get(start - offset) ?? 0) + 1)
    }
  }
  return [...votes].sort((one, other) => other[1] - one[1])[0]?.[0] ?? 0
}

const scrub = (): number => {
  const bytes = readFileSync(file)
  const addresses = findAddresses(bytes)
  const pointers = findPointers(bytes, new Set(addresses.values()))
  const base = findBase(addresses, pointers)
  for (const {at, offset, length} of pointers) if (addresses.get(base + offset) === length) bytes.fill(0, at, at + 8)
  for (const [start, length] of addresses) bytes.fill(" ", start, start + length)
  writeFileSync(file, bytes)
  return addresses.size
}

/** Returns the fault of the committed lockfile, or undefined if it is clean. */
const examine = (): string | undefined => {
  if (existsSync(`${root}bun.lock`)) return "there is a bun.lock, which has priority over bun.lockb: remove it"
  if (readFileSync(file).includes("https://")) return "bun.lockb names download addresses: run bun run lockfile"
  return undefined
}

if (!process.argv.includes("--check")) {
  rmSync(`${root}bun.lock`, {force: true})
  install()
  process.stdout.write(`removed ${scrub()} addresses from bun.lockb\n`)
  install("--frozen-lockfile")
}
const wrong = examine()
if (wrong !== undefined) {
  process.stderr.write(`${wrong}\n`)
  process.exit(1)
}
