import {afterAll, beforeAll, onTestFailed, onTestFinished} from "vitest"

type Undo = () => unknown

/** While something is made that tests share: what is undone after the last of them. */
let sharing: Undo[] | undefined

/** Has something undone when the test has ended; what is made by `shared`, when the last test has ended that shares it. */
export const whenOver = (undo: Undo): void => {
  if (sharing === undefined) onTestFinished(async () => void (await undo()))
  else sharing.push(undo)
}

/** For a script, which is no test: what it makes from now on is undone when its process ends. */
export const lastAsLongAsProcess = (): void => {
  const undos: Undo[] = []
  sharing = undos
  process.on("exit", () => {
    for (const undo of undos.reverse()) void undo()
  })
}

/** Prints what explains it when the test fails; nothing for what several tests share. */
export const whenFailed = (explain: () => string | undefined): void => {
  if (sharing !== undefined) return
  onTestFailed(() => {
    const text = explain()
    if (text !== undefined) process.stderr.write(`${text}\n`)
  })
}

/** Makes something that tests share, whenever it is called. */
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

/** For `make` of `shared`: what one of the tests makes by this lasts for the others, a Host in the place of one that it killed. */
export const shareMore = (): Share => {
  if (sharing === undefined) throw new Error("what tests share is made by `shared`")
  return sharingIn(sharing)
}

/** Makes one thing, a Host most of the time, for all tests of the surrounding `describe`: none of them may spoil it for the others. */
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
    if (made === undefined) throw new Error("what tests share is there while they run, not before")
    return made.value
  }
}
