import type { RuleTable } from '../engine/rule.ts'
import { SECRET } from './categories.ts'

/**
 * Rules for keys that consist of letters and digits only, next to the name of the service that issued them. Names that
 * are common words in code and prose are not in the list. Keys of such services are found next to a word such as
 * `token` or `key`.
 */
export const vendorRules: RuleTable = {
  defaults: SECRET,
  rows: {
    vendor: [
      `abyssale|abuseipdb|accuweather|adafruit|adobe_|adzuna|aeroworkflow|agora_|airbrake|airship|airtable|
      airvisual|aletheia|algolia|alibaba|alienvault|allsports|amadeus|ambee|amplitude|anypoint|apacta|api2cart|
      apideck|apiflash|apifonica|apilayer|apimatic|apimetrics|apitemplate|appcues|appfollow|appointedd|appsynergy|
      apptivo|artsy_|asana|assemblyai|atera|atlassian|audd_|auth0|autodesk|autoklose|autopilot|avaza_|
      aviationstack|axonaut|aylien|ayrshare|bannerbear|baremetrics|beamer|beebole|besnappy|besttime|betterstack|
      bigcommerce|billomat|bingsearch|bitbar|bitbucket|bitcoinaverage|bitfinex|bitlyaccess|bitmex|bittrex|
      blazemeter|blitapp|blocknative|blogger_|boostnote|borgbase|braintree|brandfetch|browshot|browserstack|
      bscscan|buddyns|budibase|bugherd|bugsnag|bulbul|bulksms|buttercms|caflou|calendarific|calendly|calorieninja|
      campayn|cannyio|capsulecrm|captaindata|carboninterface|cashboard|caspio|censys|centralstationcrm|cexio|
      chartmogul|chatbot_|chatfule|checio|checklyhq|checkvist|cicero_|clarifai|clearbit|clickhelp|clicksend|
      clickup|cliengo|clinchpad|clockify|clockwork_sms|closecrm|cloudconvert|cloudelements|cloudflare|cloudimage|
      cloudinary|cloudmersive|cloudplan|cloudsmith|cloverly|cloze_|clustdoc|codacy|codeclimate|codecov|codemagic|
      codequiry|cohere|coinapi|coinbase|coinlayer|coinlib|collect2|column_api|commercejs|commodities|companyhub|
      confluent|contentful|convertkit|convier|copper_|copyscape|countrylayer|courier_|coveralls|craftmypdf|crowdin|
      cryptocompare|currencycloud|currencyfreaks|currencylayer|currencyscoop|currentsapi|customerguru|customerio|
      d7network|dandelion|dareboost|databox|datadog|datagov|debounce|deepai|deepgram|deepl_|delighted|demio_|
      deputy_|detectify|detectlanguage|dfuse|diffbot|diggernaut|digitaloceanspaces|disqus|ditto_|dnscheck|documo|
      dotdigital|dotmailer|dovico|dreamhost|driftbot|droneci|dronahq|dropbox|duply|dwolla|dyspatch|
      eagleeyenetworks|easyinsight|ecostruxureit|edamam|edenai|eightxeight|elasticemail|enablex|endorlabs|enigma_|
      enterprise__contribsys|gems__contribsys|envoyapi|eraser_|etherscan|ethplorer|etsy|eventbrite|everhour|
      exchangerate|exportsdk|extractorapi|facebook|faceplusplus|fastforex|fastly|feedier|fetchrss|fibery|fileio_|
      finage|financialmodelingprep|finicity|findl_|finnhub|fixerio|flatio|flexport|flickr|flightapi|flightlabs|
      flightstats|float_api|flowflu|flutterwave|formbucket|formcraft|formio|formsite|foursquare|freshbooks|
      freshdesk|freshworks|fullstory|fulcrum|fusebill|fxmarket|gainsight|geckoboard|gemini_api|gengo_|geoapify|
      geocode|geocodify|geocodio|geoipifi|getemail|getgeoapi|getgist|getresponse|getsandbox|gitter|glassnode|
      goodday|goodreads|gocanvas|gocardless|googleoauth|graphcms|graphhopper|groovehq|guardianapi|gumroad|gtmetrix|
      gyazo|happyscribe|harvest_|hellosign|helpcrunch|helpscout|hereapi|hexnode|hiveage|holidayapi|holistic|
      honeycomb|host_io|hotjar|html2pdf|hubspot|humanity_|hunterio|hybiscus|hypertrack|ibmcloud|iconfinder|iexapis|
      iexcloud|imagekit|imagga|impala_|infobip|infura|insightly|instabot|instamojo|integromat|intercom|interseller|
      intrinio|invoiceocean|ip2location|ipapi_|ipdata_|ipgeolocation|ipify_|ipinfo|ipinfodb|ipquality|ipstack|
      jdbc_pass|jiratoken|jira|jotform|jumpcloud|jumpseller|juro_|kairos_|kaleyra|kanban_|kanbantool|karmacrm|
      keenio|keygen_|kickbox|klaviyo|klipfolio|knapsackpro|kontent_|kraken_|krakenio|kucoin|kylas_|labelbox|
      langsmith|languagelayer|lastfm|launchdarkly|leadfeeder|lemlist|lendflow|lessannoyingcrm|lexigram|linenotify|
      linkedin|linkpreview|liveagent|livestorm|loadmill|locationiq|loggly|loginradius|logmeal|logrocket|logzio|
      lokalise|looker_|loyverse|lunchmoney|luno_|macaddress|madkudu|magicbell|magnetic_|mailboxlayer|mailchimp|
      mailerlite|mailgun|mailjet|mailmodo|mailsac|mandrill|mapbox|mapquest|marketstack|mattermost|mavenlink|
      maxmind|meaningcloud|mediastack|meistertask|mercury_|meraki|mesibo|messagebird|metaapi|metabase|metrilo|
      microsoft_teams|mindmeister|miro_|mite_|mixmax|mixpanel|moderation_|monday_|monkeylearn|moonclerk|moonclerck|
      moosend|moralis|mparticle|mrticktock|mux_|myfreshworks|myintervals|nasdaqdatalink|natural_|needle_|nethunt|
      netlify|netsuite|neutrinoapi|newrelic|new_relic|new-relic|newscatcher|newsapi|nexmo|nftport|ngrok|nicereply|
      nightfall|nimble_|nitro_|noticeable|notion_|nozbe|nylas|nytimes|oanda_|okta|omnisend|onedesk|onelogin|
      onepage|onesignal|onfleet|oopspam|openai|opencagedata|opengraphr|openuv|openweather|optidash|optimizely|
      orbit_|overloop|owlbot|oxford_|packagecloud|pagarme|pagerduty|pandadoc|pandascore|paperform|paralleldots|
      parseur|parsehub|parsers_|partnerstack|passbase|pastebin|paydirt|paymoapp|paymongo|paypal|paystack|pdflayer|
      pdfshift|peopledatalabs|pepipost|percy_|pinata|pinpoint_|pipedream|pipedrive|pivotaltracker|pixabay|plaid|
      planviewleankit|planyo|plivo|podio|pollsapi|poloniex|polygon_|portainer|positionstack|postageapp|postbacks|
      posthog|postman|postmark|powrbot|privacy_com|privateai|private_ai|private-ai|prodpad|prospectcrm|protocolsio|
      proxycrawl|pubnub|purestake|pushbullet|pusher_|qase_|qualaroo|qubole|quickmetrics|quaderno|raven_|rapidapi|
      rawg_|razorpay|reachmail|readme_io|realtimeapi|reallysimplesystems|rebrandly|refiner_|rentman|repairshopr|
      restpack|rev_|revampcrm|rev_ai|ringcentral|ritekit|roaring_|rocketreach|rollbar|ronin_|roninapp|route4me|
      rownd|runrunit|runscope|salesblink|salescookie|salesflare|salesforce|salesmate|sanity_|satismeter|saucelabs|
      scalr_|scrapeowl|scraperapi|scraperbox|scrapersite|scrapestack|scrapfly|scrapingant|scrapingbee|
      screenshotapi|screenshotlayer|scrutinizer|securitytrails|segment_|selectpdf|semaphore|sendbird|sendgrid|
      sendinblue|sentiment|sentry|sentry_|serphouse|serpstack|sherpadesk|shipday|shippo|shodan|shopify|shorter_|
      shotstack|shutterstock|shutterstock_|sigopt|signable|signalwire|signaturit|signupgenius|simfin|simplesat|
      simplynoted|simvoly|sinch|skrapp|skybiometry|slackwebhook|smartsheet|smartystreets|smooch_|snipcart|
      snowflake|snyk_|sonarcloud|sonarqube|sonar|sourcegraph|sparkpost|speechtext|splunk|spoonacular|sportsmonk|
      spotify|sqlserver|squarespace|squareup|sslmate|statuscake|statuspage|statuspal|stitchdata|stockdata|
      storecove|stormboard|stormglass|storyblok|storychief|strava|streak_|stripo|stytch|sugester|sumologic|sumo_|
      supernotes|surveyanyplace|surveybot|surveysparrow|survicate|swell_|swiftype|tallyfy|tatumio|taxjar|teamgate|
      teamwork|technicalanalysis|telegram|telesign|telnyx|tenor_|testingbot|text2data|textmagic|theoddsapi|
      thinkific|thousandeyes|ticketmaster|tickettailor|tiingo|timecamp|timezoneapi|todoist|toggl_|tokeet|
      tomorrowio|tomtom|tradier|transferwise|travelpayouts|travisci|travis|trello|tru_|trufflehog|tubular_|
      twelvedata|twilio|twist_|twitch|twitter|tyntec|typeform|typetalk|ubidots|uclassify|unifyid|unplugg|unsplash|
      upcdatabase|uplead|uploadcare|uptimerobot|upwave|uproc_|urlscan|userflow|userstack|vagrantcloud|vatlayer|
      vbout_|vercel|verifier_|verimail|veriphone|versioneye|viewneo|vimeo|virustotal|visualcrossing|voicegain|
      voodoosms|vouchery|vpnapi|vultr|vyte_|walkscore|wandb|weatherbit|weatherstack|web3storage|webflow|webscraper|
      webscraping|wepay|whoxy|wistia|wit_ai|wiz_|worksnaps|workstack|worldcoinindex|worldweather|wrike|wunderlist|
      yandex|yelp_|yousign|youneedabudget|zapierwebhook|zendesk|zenkitapi|zenrows|zenscrape|zenserp|zeplin|
      zerobounce|zerotier|zipapi|apollo_|appoptics|bitly|bombbomb|byteforms|clarity_|coda_|codefresh|contentstack|
      cronitor|dify_|docusign|dropboxsign|factorial|fastspring|figshare|fleetio|formstack|gitbook|hasura|hetzner|
      httpbin|imgur|incident_io|instatus|ionos|itglass|jenkins|kinsta|knock_|lightstep|linode|mailtrap|mailersend|
      meilisearch|metaplane|mollie|montecarlo|neon_|nimbus_|noco|octopus|ollama_|opsgenie|ovhcloud|papertrail|
      paragon_|pexels|pinecone|pingdom|plausible|portkey|prismic|qdrant|quickbase|rancher|recurly|redislabs|
      replyio|retellai|retool_|roboflow|runpod|saladcloud|salesloft|scaleway|sendpulse|serper_|shortcut_|signnow|
      sirv_|skyscanner|smugmug|stability_|stackpath|strapi|strongdm|tailscale|tavily|testmo|typesense|unleash_|
      upcloud|upstash|voiceflow|wakatime|weaviate|workos|xero_|zenduty|zilliz|zuplo|elevenlabs|mistral_|perplexity|
      moonshot_|dashscope|minimax_|baichuan_|volcengine|tencent_|huawei_|qiniu|upyun|aliyun|amap_|baidu_|
      bytedance_|coze_|siliconflow|zhipu_|dynatrace|zipbooks|zipcodeapi|zoho_|zohocrm|zonkafeedback|zoominfo|
      zulipchat|zuora`,
      'vendor',
    ],
  },
}
