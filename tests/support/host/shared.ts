import {afterAll, beforeAll, onTestFailed, onTestFinished} from "vitest"

type Undo = () => unknown

/** While something shared is being made: the undo functions to run after the last test that shares it. */
let sharing: Undo[] | undefined

/** Runs `undo` when the test ends. For something made by `shared`, runs it when the last test that shares it ends. */
export const whenOver = (undo: Undo): void => {
  if (sharing === undefined) onTestFinished(async () => void (await undo()))
  else sharing.push(undo)
}

/** For scripts, which are not tests: everything made from now on is undone when the process ends. */
export const lastAsLongAsProcess = (): void => {
  const undos: Undo[] = []
  sharing = undos
  process.on("exit", () => {
    for (const undo of undos.reverse()) void undo()
  })
}

/** Prints an explanation if the test fails; does nothing for what several tests share. */
export const whenFailed = (explain: () => string | undefined): void => {
  if (sharing !== undefined) return
  onTestFailed(() => {
    const text = explain()
    if (text !== undefined) process.stderr.write(`${text}\n`)
  })
}

/** Makes something for several tests, at any time. */
export type Share = <T>(make: () => Promise<T>) => Promise<T>

const sharingIn =
  (undos: Undo[]): Share =>
  async make => {
    sharing = undos
    try {
      return await make()
    } finally {
      sharing = undefined
    }
  }

/** For `make` of `shared`: what a test makes with it stays for the others, such as a Host after a killed one. */
export const shareMore = (): Share => {
  if (sharing === undefined) throw new Error("shareMore works only inside of `shared`")
  return sharingIn(sharing)
}

/** Makes one thing, usually a Host, for all tests of the `describe`. No test may change it for the others. */
export const shared = <T>(make: () => Promise<T>): (() => T) => {
  const undos: Undo[] = []
  let made: {readonly value: T} | undefined
  beforeAll(async () => {
    made = {value: await sharingIn(undos)(make)}
  })
  afterAll(async () => {
    for (const undo of undos.reverse()) await undo()
  })
  return () => {
    if (made === undefined) throw new Error("the shared value exists only while its tests run")
    return made.value
  }
}
