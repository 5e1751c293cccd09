import type {FixedAnswer} from "../runtime.ts"

/** Converts the headers of an answer once per answer: probes get the same answers again and again. */
export const oncePerAnswer = <T>(make: (answer: FixedAnswer) => T): ((answer: FixedAnswer) => T) => {
  const heads = new WeakMap<FixedAnswer, T>()
  return answer => {
    const known = heads.get(answer)
    if (known !== undefined) return known
    const head = make(answer)
    heads.set(answer, head)
    return head
  }
}
