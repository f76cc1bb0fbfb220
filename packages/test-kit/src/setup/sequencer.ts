import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Starts simulations and slow files first. They take many minutes, and a slow file that starts last leaves the other
 * processors idle.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const find = (part: string) => sorted.filter(({ moduleId }) => moduleId.includes(part))
    return [...new Set([...find('/simulation/'), ...find('.slow.'), ...sorted])]
  }
}
