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
      `abyssale|abuseipdb|accuweather|adafruit|adzuna|aeroworkflow|airbrake|airship|airtable|airvisual|aletheia|
      algolia|alibaba|alienvault|allsports|amadeus|ambee|amplitude|anypoint|apacta|api2cart|apideck|apiflash|
      apifonica|apilayer|apimatic|apimetrics|apitemplate|appcues|appfollow|appointedd|appsynergy|apptivo|asana|
      assemblyai|atera|atlassian|auth0|autodesk|autoklose|autopilot|aviationstack|axonaut|aylien|ayrshare|bannerbear|
      baremetrics|beamer|beebole|besnappy|besttime|betterstack|bigcommerce|billomat|bingsearch|bitbar|bitbucket|
      bitcoinaverage|bitfinex|bitlyaccess|bitmex|bittrex|blazemeter|blitapp|blocknative|boostnote|borgbase|braintree|
      brandfetch|browshot|browserstack|bscscan|buddyns|budibase|bugherd|bugsnag|bulbul|bulksms|buttercms|caflou|
      calendarific|calendly|calorieninja|campayn|cannyio|capsulecrm|captaindata|carboninterface|cashboard|caspio|
      censys|centralstationcrm|cexio|chartmogul|chatfule|checio|checklyhq|checkvist|clarifai|clearbit|clickhelp|
      clicksend|clickup|cliengo|clinchpad|clockify|clockwork_sms|closecrm|cloudconvert|cloudelements|cloudflare|
      cloudimage|cloudinary|cloudmersive|cloudplan|cloudsmith|cloverly|clustdoc|codacy|codeclimate|codecov|codemagic|
      codequiry|cohere|coinapi|coinbase|coinlayer|coinlib|collect2|column_api|commercejs|commodities|companyhub|
      confluent|contentful|convertkit|convier|copyscape|countrylayer|coveralls|craftmypdf|crowdin|cryptocompare|
      currencycloud|currencyfreaks|currencylayer|currencyscoop|currentsapi|customerguru|customerio|d7network|
      dandelion|dareboost|databox|datadog|datagov|debounce|deepai|deepgram|delighted|detectify|detectlanguage|dfuse|
      diffbot|diggernaut|digitaloceanspaces|disqus|dnscheck|documo|dotdigital|dotmailer|dovico|dreamhost|driftbot|
      droneci|dronahq|dropbox|duply|dwolla|dyspatch|eagleeyenetworks|easyinsight|ecostruxureit|edamam|edenai|
      eightxeight|elasticemail|enablex|endorlabs|enterprise__contribsys|gems__contribsys|envoyapi|etherscan|ethplorer|
      etsy|eventbrite|everhour|exchangerate|exportsdk|extractorapi|facebook|faceplusplus|fastforex|fastly|feedier|
      fetchrss|fibery|finage|financialmodelingprep|finicity|finnhub|fixerio|flatio|flexport|flickr|flightapi|
      flightlabs|flightstats|float_api|flowflu|flutterwave|formbucket|formcraft|formio|formsite|foursquare|freshbooks|
      freshdesk|freshworks|fullstory|fulcrum|fusebill|fxmarket|gainsight|geckoboard|gemini_api|geoapify|geocode|
      geocodify|geocodio|geoipifi|getemail|getgeoapi|getgist|getresponse|getsandbox|gitter|glassnode|goodday|
      goodreads|gocanvas|gocardless|googleoauth|graphcms|graphhopper|groovehq|guardianapi|gumroad|gtmetrix|gyazo|
      happyscribe|hellosign|helpcrunch|helpscout|hereapi|hexnode|hiveage|holidayapi|holistic|honeycomb|host_io|hotjar|
      html2pdf|hubspot|hunterio|hybiscus|hypertrack|ibmcloud|iconfinder|iexapis|iexcloud|imagekit|imagga|infobip|
      infura|insightly|instabot|instamojo|integromat|intercom|interseller|intrinio|invoiceocean|ip2location|
      ipgeolocation|ipinfo|ipinfodb|ipquality|ipstack|jdbc_pass|jiratoken|jira|jotform|jumpcloud|jumpseller|kaleyra|
      kanbantool|karmacrm|keenio|kickbox|klaviyo|klipfolio|knapsackpro|krakenio|kucoin|labelbox|langsmith|
      languagelayer|lastfm|launchdarkly|leadfeeder|lemlist|lendflow|lessannoyingcrm|lexigram|linenotify|linkedin|
      linkpreview|liveagent|livestorm|loadmill|locationiq|loggly|loginradius|logmeal|logrocket|logzio|lokalise|
      loyverse|lunchmoney|macaddress|madkudu|magicbell|mailboxlayer|mailchimp|mailerlite|mailgun|mailjet|mailmodo|
      mailsac|mandrill|mapbox|mapquest|marketstack|mattermost|mavenlink|maxmind|meaningcloud|mediastack|meistertask|
      meraki|mesibo|messagebird|metaapi|metabase|metrilo|microsoft_teams|mindmeister|mixmax|mixpanel|monkeylearn|
      moonclerk|moonclerck|moosend|moralis|mparticle|mrticktock|myfreshworks|myintervals|nasdaqdatalink|nethunt|
      netlify|netsuite|neutrinoapi|newrelic|new_relic|new-relic|newscatcher|newsapi|nexmo|nftport|ngrok|nicereply|
      nightfall|noticeable|nozbe|nylas|nytimes|okta|omnisend|onedesk|onelogin|onepage|onesignal|onfleet|oopspam|
      openai|opencagedata|opengraphr|openuv|openweather|optidash|optimizely|overloop|owlbot|packagecloud|pagarme|
      pagerduty|pandadoc|pandascore|paperform|paralleldots|parseur|parsehub|partnerstack|passbase|pastebin|paydirt|
      paymoapp|paymongo|paypal|paystack|pdflayer|pdfshift|peopledatalabs|pepipost|pinata|pipedream|pipedrive|
      pivotaltracker|pixabay|plaid|planviewleankit|planyo|plivo|podio|pollsapi|poloniex|portainer|positionstack|
      postageapp|postbacks|posthog|postman|postmark|powrbot|privacy_com|privateai|private_ai|private-ai|prodpad|
      prospectcrm|protocolsio|proxycrawl|pubnub|purestake|pushbullet|qualaroo|qubole|quickmetrics|quaderno|rapidapi|
      razorpay|reachmail|readme_io|realtimeapi|reallysimplesystems|rebrandly|rentman|repairshopr|restpack|revampcrm|
      rev_ai|ringcentral|ritekit|rocketreach|rollbar|roninapp|route4me|rownd|runrunit|runscope|salesblink|salescookie|
      salesflare|salesforce|salesmate|satismeter|saucelabs|scrapeowl|scraperapi|scraperbox|scrapersite|scrapestack|
      scrapfly|scrapingant|scrapingbee|screenshotapi|screenshotlayer|scrutinizer|securitytrails|selectpdf|semaphore|
      sendbird|sendgrid|sendinblue|sentiment|sentry|serphouse|serpstack|sherpadesk|shipday|shippo|shodan|shopify|
      shotstack|shutterstock|sigopt|signable|signalwire|signaturit|signupgenius|simfin|simplesat|simplynoted|simvoly|
      sinch|skrapp|skybiometry|slackwebhook|smartsheet|smartystreets|snipcart|snowflake|sonarcloud|sonarqube|sonar|
      sourcegraph|sparkpost|speechtext|splunk|spoonacular|sportsmonk|spotify|sqlserver|squarespace|squareup|sslmate|
      statuscake|statuspage|statuspal|stitchdata|stockdata|storecove|stormboard|stormglass|storyblok|storychief|
      strava|stripo|stytch|sugester|sumologic|supernotes|surveyanyplace|surveybot|surveysparrow|survicate|swiftype|
      tallyfy|tatumio|taxjar|teamgate|teamwork|technicalanalysis|telegram|telesign|telnyx|testingbot|text2data|
      textmagic|theoddsapi|thinkific|thousandeyes|ticketmaster|tickettailor|tiingo|timecamp|timezoneapi|todoist|
      tokeet|tomorrowio|tomtom|tradier|transferwise|travelpayouts|travisci|travis|trello|trufflehog|twelvedata|twilio|
      twitch|twitter|tyntec|typeform|typetalk|ubidots|uclassify|unifyid|unplugg|unsplash|upcdatabase|uplead|
      uploadcare|uptimerobot|upwave|urlscan|userflow|userstack|vagrantcloud|vatlayer|vercel|verimail|veriphone|
      versioneye|viewneo|vimeo|virustotal|visualcrossing|voicegain|voodoosms|vouchery|vpnapi|vultr|walkscore|wandb|
      weatherbit|weatherstack|web3storage|webflow|webscraper|webscraping|wepay|whoxy|wistia|wit_ai|worksnaps|
      workstack|worldcoinindex|worldweather|wrike|wunderlist|yandex|yousign|youneedabudget|zapierwebhook|zendesk|
      zenkitapi|zenrows|zenscrape|zenserp|zeplin|zerobounce|zerotier|zipapi|appoptics|bitly|bombbomb|byteforms|
      codefresh|contentstack|cronitor|docusign|dropboxsign|factorial|fastspring|figshare|fleetio|formstack|gitbook|
      hasura|hetzner|httpbin|imgur|incident_io|instatus|ionos|itglass|jenkins|kinsta|lightstep|linode|mailtrap|
      mailersend|meilisearch|metaplane|mollie|montecarlo|noco|octopus|opsgenie|ovhcloud|papertrail|pexels|pinecone|
      pingdom|plausible|portkey|prismic|qdrant|quickbase|rancher|recurly|redislabs|replyio|retellai|roboflow|runpod|
      saladcloud|salesloft|scaleway|sendpulse|signnow|skyscanner|smugmug|stackpath|strapi|strongdm|tailscale|tavily|
      testmo|typesense|upcloud|upstash|voiceflow|wakatime|weaviate|workos|zenduty|zilliz|zuplo|elevenlabs|perplexity|
      dashscope|volcengine|qiniu|upyun|aliyun|siliconflow|dynatrace|zipbooks|zipcodeapi|zohocrm|zonkafeedback|
      zoominfo|zulipchat|zuora`,
      'vendor',
    ],
  },
}
