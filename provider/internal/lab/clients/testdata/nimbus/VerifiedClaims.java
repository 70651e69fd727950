import com.nimbusds.oauth2.sdk.util.JSONObjectUtils;
import com.nimbusds.openid.connect.sdk.OIDCClaimsRequest;
import com.nimbusds.openid.connect.sdk.assurance.request.MinimalVerificationSpec;
import com.nimbusds.openid.connect.sdk.assurance.request.VerifiedClaimsSetRequest;
import com.nimbusds.openid.connect.sdk.claims.UserInfo;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import java.io.BufferedReader;
import java.io.InputStreamReader;

/** Prints a request for verified_claims, then what it reads of metadata and of userinfo, a line each. */
public class VerifiedClaims {
	public static void main(String[] args) throws Exception {
		var verification = MinimalVerificationSpec.parse(JSONObjectUtils.parse(args[0]));
		var set = new VerifiedClaimsSetRequest().withVerification(verification).add(args[1]);
		System.out.println(new OIDCClaimsRequest().withUserInfoVerifiedClaimsRequest(set).toJSONObject());
		var in = new BufferedReader(new InputStreamReader(System.in));
		var metadata = OIDCProviderMetadata.parse(in.readLine());
		System.out.println(metadata.supportsVerifiedClaims() + " " + metadata.getIdentityTrustFrameworks() + " " + metadata.getVerifiedClaims()
			+ " " + metadata.getIdentityEvidenceTypes());
		for (var found : UserInfo.parse(in.readLine()).getVerifiedClaims()) {
			var told = found.getVerification();
			System.out.println(told.getTrustFramework() + " " + told.getVerificationTime() + " " + told.getEvidence().get(0).getEvidenceType()
				+ " " + found.getClaimsSet().toJSONObject());
		}
	}
}
