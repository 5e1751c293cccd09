import type {FixedAnswer} from "../runtime.ts"

/** What a runtime makes of the headers of an answer, made once for each: probes are answered with the same ones again and again. */
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
