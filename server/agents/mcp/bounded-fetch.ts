import type {Fetch} from "./package.ts"
import {longestMessage} from "./stdio.ts"

/** Fails once an answer has more than `longestMessage` bytes. */
export const boundedFetch: Fetch = async (input, init) => {
  const response = await fetch(input, init)
  if (response.body === null) return response
  let length = 0
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      length += chunk.byteLength
      if (length > longestMessage) controller.error(new Error(`the answer has more than ${longestMessage} bytes`))
      else controller.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(counting), response)
}
