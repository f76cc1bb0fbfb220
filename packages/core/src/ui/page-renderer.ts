import type { PageRenderer } from '../http/page-renderer.ts'
import type { Layout } from './layout.ts'

/** Makes the pages of a service. The code that renders them loads with the first page. */
export function createPageRenderer(layout: Layout): PageRenderer {
  return {
    async check() {
      await (await layout.languages()).check()
    },
    finish: async (page, acceptLanguage) => (await import('./layout.ts')).finishPage(page, acceptLanguage, layout),
    showFailure: async (reply, request) => (await import('./failure-page.ts')).failurePage(reply, layout, request),
  }
}
