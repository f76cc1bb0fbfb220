import 'reflect-metadata'
import type { Server } from 'node:http'
import { Controller, Get, Header, Module, Query, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { createService } from '@tributary/core'
import { embeddedOptions, openStores } from '@tributary/example-embed/options'
import { formatSessionCookie } from '@tributary/example-embed/signin'
import { toNodeListener } from '@tributary/host-node'

@Controller()
class AppController {
  @Get()
  @Header('content-type', 'text/plain')
  home(): string {
    return "The app's own page.\n"
  }

  @Get('login')
  signIn(
    @Query('name') name: string,
    @Res({ passthrough: true }) response: { setHeader(name: string, value: string): void },
  ): string {
    response.setHeader('set-cookie', formatSessionCookie(name))
    return 'Signed in to the app.\n'
  }
}

@Module({ controllers: [AppController] })
class AppModule {}

/** Starts a Nest app with the global prefix `/app` and the service below `/app/tributary`. Listens on `port`. */
export async function start(port: number): Promise<Server> {
  const service = createService(embeddedOptions(`http://127.0.0.1:${port}/app`, await openStores()))
  const worker = service.startWorker()
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] })
  app.setGlobalPrefix('app')
  // The global prefix applies only to controllers. This middleware comes before Nest's body parser.
  app.use('/app/tributary', toNodeListener(service))
  await app.listen(port, '127.0.0.1')
  const server = app.getHttpServer() as Server
  return server.once('close', () => void worker.stop())
}
